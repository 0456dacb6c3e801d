;; Forms the words of a page and their blocks (collect-words.ts says what they are).
;;
;; The hash of a word is computed from its bytes, with ASCII letters in lower case, 16 bytes at a time. A stored word has
;; 32 bits of it, and its lowest bit is 1 if the word has digits only.
;;
;; Text without characters beyond ASCII is read 64 bytes at a time: one bit per byte says whether the byte belongs to a
;; word, and the words are between the places where the bits change. Other text is read byte by byte.
;;
;; The words are counted in a loop of their own, and the hash of a short word is computed without a loop: both together
;; save a fifth of the time (bench/parts/sketch.ts).
;;
;; The kernel also computes the sums and hashes of the regions of the page (page-regions.ts says what they are). A text
;; that may be noise is first noticed by one of its words, and only then read byte by byte.
;;
;; The memory: the results of a call; a mask; the word counts of the page (collect-words.ts); the regions; the list of
;; texts and marks; texts that are not in the document as they are; the document; the words of noise, one bit for each
;; value of 16 bits of a hash; tables of hashes for the hosts of advertisements and for the words of noise; the places of
;; advertisements; the words; for each block its end, its hash, its number of words, whether it is link text, and whether
;; it is template.
(module
  (memory (export "memory") 108)
  ;; Sixteen zeros and sixteen ones. Loading from 16 + n gives a mask of the last n bytes.
  (data (i32.const 32) "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff")
  (global $counts (export "counts") i32 (i32.const 0x100))
  (global (export "list") i32 (i32.const 0x1000))
  (global (export "side") i32 (i32.const 0x5040))
  (global (export "document") i32 (i32.const 0xa040))
  (global $words (export "words") i32 (i32.const 0x110000))
  ;; Behind 200,000 words. A single text can bring a million more, which are written and cut off again.
  (global $wordsEnd (export "wordsEnd") i32 (i32.const 0x1d3500))
  (global $ends (export "ends") i32 (i32.const 0x5e0000))
  (global $hashes (export "hashes") i32 (i32.const 0x620000))
  (global $sizes (export "sizes") i32 (i32.const 0x660000))
  (global $linked (export "linked") i32 (i32.const 0x6a0000))
  (global $regions (export "regions") i32 (i32.const 0x180))
  (global $noiseBits (export "noiseBits") i32 (i32.const 0x10b000))
  (global $noiseWords (export "noiseWords") i32 (i32.const 0x10e000))
  (global $ads (export "ads") i32 (i32.const 0x10f000))
  (global $adHosts (export "adHosts") i32 (i32.const 0x10d000))
  (global $marks (export "marks") i32 (i32.const 0x6b0000))

  ;; Where the next word is written, and where the open block began.
  (global $out (mut i32) (i32.const 0))
  (global $blockFrom (mut i32) (i32.const 0))
  (global $blocks (mut i32) (i32.const 0))
  (global $isCut (mut i32) (i32.const 0))
  ;; Where the first word is that was not counted.
  (global $counted (mut i32) (i32.const 0))
  ;; The hash of the open block, and the number of its words that are not numbers.
  (global $block (mut i32) (i32.const 0))
  (global $textWords (mut i32) (i32.const 0))
  ;; Where the open link began, or 0. The bytes of the words of earlier links in the open block.
  (global $linkFrom (mut i32) (i32.const 0))
  (global $linkBytes (mut i32) (i32.const 0))
  ;; Where reading byte by byte has stopped.
  (global $at (mut i32) (i32.const 0))
  ;; Whether the texts are beside the content, and whether they are parts of one text.
  (global $isBeside (mut i32) (i32.const 0))
  (global $isPart (mut i32) (i32.const 0))
  ;; Whether the text has a word of noise, and whether it has a copyright sign.
  (global $isSuspect (mut i32) (i32.const 0))
  (global $hasSign (mut i32) (i32.const 0))
  ;; The end of the last bytes that are left out of the exact hash.
  (global $exactFrom (mut i32) (i32.const 0))

  ;; Begins a page.
  (func (export "clear")
    (memory.fill (global.get $counts) (i32.const 0) (i32.const 128))
    (global.set $out (global.get $words))
    (global.set $counted (global.get $words))
    (global.set $blockFrom (global.get $words))
    (global.set $blocks (i32.const 0))
    (global.set $isCut (i32.const 0))
    (global.set $block (i32.const 0))
    (global.set $textWords (i32.const 0))
    (global.set $linkFrom (i32.const 0))
    (global.set $linkBytes (i32.const 0))
    (memory.fill (global.get $regions) (i32.const 0) (i32.const 56))
    (global.set $isBeside (i32.const 0))
    (global.set $isPart (i32.const 0))
    (global.set $isSuspect (i32.const 0))
    (global.set $hasSign (i32.const 0))
    (global.set $exactFrom (i32.const 0xa040)))

  ;; Reads a list: the beginning and the end of each text, and marks. -1 ends a block, -2 begins a link, -3 ends it. -4
  ;; and -5 begin and end texts beside the content. -6 begins a text in parts, and -7 ends it. Behind -7 and the
  ;; following marks are a beginning and an end: -8, a text that may be noise; -9, the target of a link; -10, bytes that
  ;; are left out of the exact hash.
  ;; Writes the numbers of words and blocks of the page so far, and whether it was cut.
  (func (export "read") (param $at i32) (param $end i32)
    (local $value i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $value (i32.load (local.get $at)))
        (if (i32.ge_s (local.get $value) (i32.const 0))
          (then
            (call $visible (local.get $value) (i32.load offset=4 (local.get $at)))
            (local.set $at (i32.add (local.get $at) (i32.const 4))))
          (else
            (if (i32.eq (local.get $value) (i32.const -1))
              (then (call $endBlock))
              (else
                (if (i32.ge_s (local.get $value) (i32.const -3))
                  (then
                    (call $endLink)
                    (if (i32.eq (local.get $value) (i32.const -2)) (then (global.set $linkFrom (global.get $out)))))
                  (else (local.set $at (call $mark (local.get $value) (local.get $at)))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (call $count)
    (i32.store (i32.const 0) (call $place (global.get $out)))
    (i32.store offset=4 (i32.const 0) (global.get $blocks))
    (i32.store offset=8 (i32.const 0) (global.get $isCut)))

  ;; Handles the other marks. Returns where the mark and its numbers end, less 4.
  (func $mark (param $value i32) (param $at i32) (result i32)
    (local $from i32) (local $to i32)
    (if (i32.ge_s (local.get $value) (i32.const -6))
      (then
        (if (i32.eq (local.get $value) (i32.const -6))
          (then (global.set $isPart (i32.const 1)))
          (else (global.set $isBeside (i32.eq (local.get $value) (i32.const -4)))))
        (return (local.get $at))))
    (local.set $from (i32.load offset=4 (local.get $at)))
    (local.set $to (i32.load offset=8 (local.get $at)))
    (block $done
      (if (i32.eq (local.get $value) (i32.const -7))
        (then
          (global.set $isPart (i32.const 0))
          (call $judge (local.get $from) (local.get $to))
          (br $done)))
      (if (i32.eq (local.get $value) (i32.const -8))
        (then
          (call $addUnsure (local.get $from) (local.get $to))
          (br $done)))
      (if (i32.eq (local.get $value) (i32.const -9))
        (then
          (call $addTarget (local.get $from) (local.get $to))
          (br $done)))
      (call $addExact (local.get $from))
      (global.set $exactFrom (local.get $to)))
    (i32.add (local.get $at) (i32.const 8)))

  ;; Reads a visible text. The words of a text beside the content are only added to the regions.
  (func $visible (param $from i32) (param $to i32)
    (local $out i32) (local $block i32) (local $textWords i32)
    (local.set $out (global.get $out))
    (if (global.get $isBeside)
      (then
        (local.set $block (global.get $block))
        (local.set $textWords (global.get $textWords))
        (call $text (local.get $from) (local.get $to))
        (call $weigh (local.get $out) (i32.const 8))
        (global.set $out (local.get $out))
        (global.set $block (local.get $block))
        (global.set $textWords (local.get $textWords)))
      (else
        (call $text (local.get $from) (local.get $to))
        (call $weigh (local.get $out) (i32.const 0))))
    (if (i32.eqz (global.get $isPart)) (then (call $judge (local.get $from) (local.get $to)))))

  ;; Adds the words from $at on to a sum, and looks for words of noise. The square of a hash has 64 bits.
  (func $weigh (param $at i32) (param $sum i32)
    (local $out i32) (local $word i32) (local $all i64) (local $suspect i32)
    (local.set $out (global.get $out))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $out)))
        (local.set $word (i32.load (local.get $at)))
        (local.set $all (i64.add (local.get $all)
          (i64.mul (i64.extend_i32_u (local.get $word)) (i64.extend_i32_u (local.get $word)))))
        ;; One word in some hundred passes this test by chance.
        (if (i32.and
              (i32.shr_u
                (i32.load8_u (i32.add (global.get $noiseBits) (i32.shr_u (local.get $word) (i32.const 19))))
                (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 7)))
              (i32.const 1))
          (then (local.set $suspect (i32.or (local.get $suspect)
            (call $isIn (global.get $noiseWords) (local.get $word))))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (global.set $isSuspect (i32.or (global.get $isSuspect) (local.get $suspect)))
    (local.set $sum (i32.add (global.get $regions) (local.get $sum)))
    (i64.store (local.get $sum) (i64.add (i64.load (local.get $sum)) (local.get $all))))

  ;; The sum of the words of all blocks that are marked as template.
  (func (export "weighTemplate")
    (local $block i32) (local $at i32) (local $end i32) (local $all i64) (local $isMarked i32)
    (local.set $at (global.get $words))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $block) (global.get $blocks)))
        (local.set $end (i32.add (global.get $words) (i32.shl
          (i32.load (i32.add (global.get $ends) (i32.shl (local.get $block) (i32.const 2))))
          (i32.const 2))))
        (local.set $isMarked (i32.load8_u (i32.add (global.get $marks) (local.get $block))))
        (if (local.get $isMarked)
          (then
            (block $last
              (loop $more
                (br_if $last (i32.ge_u (local.get $at) (local.get $end)))
                (local.set $all (i64.add (local.get $all) (i64.mul
                  (i64.load32_u (local.get $at))
                  (i64.load32_u (local.get $at)))))
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (br $more)))))
        (local.set $at (local.get $end))
        (local.set $block (i32.add (local.get $block) (i32.const 1)))
        (br $next)))
    (i64.store offset=16 (global.get $regions) (local.get $all)))

  ;; Ends the regions of a page whose last byte is before $end.
  (func (export "endRegions") (param $end i32)
    (call $addExact (local.get $end)))

  ;; Decides whether a text that has a word of noise may be noise. The rules only match short texts with a digit or an
  ;; age; white space counts as one character.
  (func $judge (param $from i32) (param $to i32)
    (local $at i32) (local $code i32) (local $chars i32) (local $isGap i32) (local $hasDigit i32) (local $four i32)
    (if (i32.eqz (i32.or (global.get $isSuspect) (global.get $hasSign))) (then (return)))
    (local.set $at (local.get $from))
    (block $done
      (loop $next
        (br_if $done (i32.or
          (i32.ge_u (local.get $at) (local.get $to))
          (i32.gt_u (local.get $chars) (i32.const 600))))
        (local.set $code (i32.load8_u (local.get $at)))
        (if (i32.le_u (local.get $code) (i32.const 32))
          (then (local.set $isGap (i32.gt_u (local.get $chars) (i32.const 0))))
          (else
            (local.set $chars (i32.add (local.get $chars) (i32.add
              (local.get $isGap)
              (i32.ne (i32.and (local.get $code) (i32.const 0xc0)) (i32.const 0x80)))))
            (local.set $isGap (i32.const 0))
            (local.set $four (i32.load (local.get $at)))
            ;; "ago", "now", and digits in references count like digits.
            (local.set $hasDigit (i32.or (local.get $hasDigit) (i32.or
              (i32.or
                (i32.lt_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10))
                (i32.eq (local.get $code) (i32.const 38)))
              (i32.or
                (i32.eq (i32.and (local.get $four) (i32.const 0xffffff)) (i32.const 0x6f6761))
                (i32.eq (i32.and (local.get $four) (i32.const 0xffffff)) (i32.const 0x776f6e))))))
            ;; "opyr" and "(c)"
            (global.set $hasSign (i32.or (global.get $hasSign) (i32.or
              (i32.eq (i32.or (local.get $four) (i32.const 0x20202020)) (i32.const 0x7279706f))
              (i32.eq
                (i32.and (i32.or (local.get $four) (i32.const 0x2000)) (i32.const 0xffffff))
                (i32.const 0x296328)))))
            ;; A reference is one character.
            (if (i32.eq (local.get $code) (i32.const 38))
              (then (local.set $at (call $afterReference (local.get $at) (local.get $to)))))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (if (i32.or
          (i32.le_u (local.get $chars) (i32.const 16))
          (i32.and (local.get $hasDigit)
            (i32.le_u (local.get $chars) (select (i32.const 600) (i32.const 160) (global.get $hasSign)))))
      (then (call $addUnsure (local.get $from) (local.get $to))))
    (global.set $isSuspect (i32.const 0))
    (global.set $hasSign (i32.const 0)))

  ;; The position of the semicolon of a reference; that of its `&` if there is none nearby.
  (func $afterReference (param $at i32) (param $to i32) (result i32)
    (local $end i32)
    (local.set $end (local.get $at))
    (block $done
      (loop $next
        (local.set $end (i32.add (local.get $end) (i32.const 1)))
        (br_if $done (i32.or
          (i32.ge_u (local.get $end) (local.get $to))
          (i32.gt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 32))))
        (if (i32.eq (i32.load8_u (local.get $end)) (i32.const 59)) (then (return (local.get $end))))
        (br $next)))
    (local.get $at))

  (func $addUnsure (param $from i32) (param $to i32)
    (i64.store offset=32 (global.get $regions) (i64.add
      (i64.load offset=32 (global.get $regions))
      (call $hash (local.get $from) (local.get $to)))))

  ;; A target that the rules of noise may alter is unsure: `#…`, `data:`, a query, a session id, a reference, a path of a
  ;; bot manager.
  (func $addTarget (param $from i32) (param $to i32)
    (local $first i32) (local $at i32) (local $part i32) (local $bytes v128)
    (if (i32.ge_u (local.get $from) (local.get $to))
      (then
        (call $addUnsure (local.get $from) (local.get $from))
        (return)))
    (local.set $first (i32.load8_u (local.get $from)))
    (if (i32.or
          (i32.eq (local.get $first) (i32.const 35))
          (i32.or
            (i32.eq (i32.load (local.get $from)) (i32.const 0x61746164))
            (call $isOfBotManager (local.get $from))))
      (then
        (call $addUnsure (local.get $from) (local.get $to))
        (return)))
    (local.set $at (local.get $from))
    (local.set $part (i32.add
      (i32.and (i32.sub (i32.sub (local.get $to) (local.get $from)) (i32.const 1)) (i32.const 15))
      (i32.const 1)))
    (loop $next
      (local.set $at (i32.add (local.get $at) (local.get $part)))
      (local.set $bytes (v128.load (i32.sub (local.get $at) (i32.const 16))))
      (if (v128.any_true (v128.and
            (v128.load offset=16 (local.get $part))
            (v128.or
              (v128.or
                (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 33)))
                (v128.or
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 63)))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 59)))))
              (v128.or
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 40)))
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 38)))))))
        (then
          (call $addUnsure (local.get $from) (local.get $to))
          (return)))
      (local.set $part (i32.const 16))
      (br_if $next (i32.lt_u (local.get $at) (local.get $to))))
    (i64.store offset=24 (global.get $regions) (i64.add
      (i64.load offset=24 (global.get $regions))
      (call $hash (local.get $from) (local.get $to)))))

  ;; `/cdn-cgi/` and `/_Incapsula_Resource`
  (func $isOfBotManager (param $at i32) (result i32)
    (i32.or
      (i32.eq (i32.load (local.get $at)) (i32.const 0x6e64632f))
      (i32.eq (i32.load (local.get $at)) (i32.const 0x6e495f2f))))

  ;; Adds the bytes since the last ones that were left out.
  (func $addExact (param $to i32)
    (i64.store offset=40 (global.get $regions) (i64.mul
      (i64.add
        (i64.rotl (i64.load offset=40 (global.get $regions)) (i64.const 25))
        (call $hash (global.get $exactFrom) (local.get $to)))
      (i64.const 0x9e3779b97f4a7c15))))

  ;; The hash of bytes, 32 at a time in two independent chains.
  (func $hash (param $at i32) (param $to i32) (result i64)
    (local $part i32) (local $bytes v128) (local $one i64) (local $two i64)
    (local.set $one (i64.mul
      (i64.extend_i32_u (i32.sub (local.get $to) (local.get $at)))
      (i64.const 0xd6e8feb86659fd93)))
    (local.set $two (i64.const 0xa0761d6478bd642f))
    (block $short
      (loop $next
        (br_if $short (i32.lt_u (i32.sub (local.get $to) (local.get $at)) (i32.const 32)))
        (local.set $one (i64.mul
          (i64.add (i64.rotl (local.get $one) (i64.const 29)) (i64.load (local.get $at)))
          (i64.const 0x9e3779b97f4a7c15)))
        (local.set $two (i64.mul
          (i64.add (i64.rotl (local.get $two) (i64.const 31)) (i64.load offset=8 (local.get $at)))
          (i64.const 0xbf58476d1ce4e5b9)))
        (local.set $one (i64.mul
          (i64.add (i64.rotl (local.get $one) (i64.const 27)) (i64.load offset=16 (local.get $at)))
          (i64.const 0x94d049bb133111eb)))
        (local.set $two (i64.mul
          (i64.add (i64.rotl (local.get $two) (i64.const 33)) (i64.load offset=24 (local.get $at)))
          (i64.const 0xd6e8feb86659fd93)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br $next)))
    (block $done
      (loop $last
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $part (i32.add
          (i32.and (i32.sub (i32.sub (local.get $to) (local.get $at)) (i32.const 1)) (i32.const 15))
          (i32.const 1)))
        (local.set $at (i32.add (local.get $at) (local.get $part)))
        (local.set $bytes (v128.and
          (v128.load (i32.sub (local.get $at) (i32.const 16)))
          (v128.load offset=16 (local.get $part))))
        (local.set $one (i64.mul
          (i64.add (i64.rotl (local.get $one) (i64.const 29)) (i64x2.extract_lane 0 (local.get $bytes)))
          (i64.const 0x9e3779b97f4a7c15)))
        (local.set $two (i64.mul
          (i64.add (i64.rotl (local.get $two) (i64.const 31)) (i64x2.extract_lane 1 (local.get $bytes)))
          (i64.const 0xbf58476d1ce4e5b9)))
        (br $last)))
    (local.set $one (i64.mul
      (i64.xor (local.get $one) (i64.shr_u (local.get $one) (i64.const 32)))
      (i64.const 0x94d049bb133111eb)))
    (local.set $one (i64.mul
      (i64.xor (local.get $one) (i64.xor (local.get $two) (i64.shr_u (local.get $two) (i64.const 29))))
      (i64.const 0xbf58476d1ce4e5b9)))
    (i64.xor (local.get $one) (i64.shr_u (local.get $one) (i64.const 32))))

  ;; Finds where a host of advertisements, or a host and a path of a bot manager, follows `//` in the document. Returns
  ;; the number of these places, at most as many as there is room for.
  (func (export "findAds") (param $at i32) (param $end i32) (result i32)
    (local $slash v128) (local $bits i64) (local $found i32) (local $out i32)
    (local.set $out (global.get $ads))
    (local.set $slash (i8x16.splat (i32.const 47)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $bits (call $join
          (i8x16.eq (v128.load (local.get $at)) (local.get $slash))
          (i8x16.eq (v128.load offset=16 (local.get $at)) (local.get $slash))
          (i8x16.eq (v128.load offset=32 (local.get $at)) (local.get $slash))
          (i8x16.eq (v128.load offset=48 (local.get $at)) (local.get $slash))))
        (local.set $bits (i64.and (local.get $bits) (i64.shr_u (local.get $bits) (i64.const 1))))
        (block $empty
          (loop $more
            (br_if $empty (i64.eqz (local.get $bits)))
            (local.set $found (i32.add
              (i32.add (local.get $at) (i32.const 2))
              (i32.wrap_i64 (i64.ctz (local.get $bits)))))
            (if (i32.and (i32.lt_u (local.get $found) (local.get $end)) (call $isAdHost (local.get $found)))
              (then
                (i32.store (local.get $out) (local.get $found))
                (local.set $out (i32.add (local.get $out) (i32.const 4)))
                (br_if $done (i32.eq (local.get $out) (i32.const 0x110000)))))
            (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
            (br $more)))
        ;; The last byte may be the first slash of two.
        (local.set $at (i32.add (local.get $at) (i32.const 63)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (global.get $ads)) (i32.const 2)))

  ;; Whether the host at $from, or a domain around it, is in the table. The hash is computed from the end of the host.
  (func $isAdHost (param $from i32) (result i32)
    (local $at i32) (local $code i32) (local $hash i32)
    (local.set $at (local.get $from))
    (block $ended
      (loop $next
        (local.set $code (i32.load8_u (local.get $at)))
        ;; A name and a password stand before `@`.
        (if (i32.eq (local.get $code) (i32.const 64)) (then (local.set $from (i32.add (local.get $at) (i32.const 1)))))
        (br_if $ended (i32.eqz (i32.or
          (call $isNameByte (local.get $code))
          (i32.eq (local.get $code) (i32.const 64)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (i32.sub (local.get $at) (local.get $from)) (i32.const 256)))))
    (if (call $isOfBotManager (local.get $at)) (then (return (i32.const 1))))
    (local.set $hash (i32.const 0x811c9dc5))
    (block $none
      (loop $back
        (br_if $none (i32.le_u (local.get $at) (local.get $from)))
        (local.set $at (i32.sub (local.get $at) (i32.const 1)))
        (local.set $code (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)))
        (local.set $hash (i32.mul (i32.xor (local.get $hash) (local.get $code)) (i32.const 0x01000193)))
        (br_if $back (i32.eqz (i32.or
          (i32.eq (local.get $at) (local.get $from))
          (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 46)))))
        (if (call $isIn (global.get $adHosts) (local.get $hash)) (then (return (i32.const 1))))
        (br $back)))
    (i32.const 0))

  ;; Whether a table of hashes has this one. An empty slot is 0.
  (func $isIn (param $table i32) (param $hash i32) (result i32)
    (local $slot i32) (local $value i32)
    (local.set $slot (local.get $hash))
    (block $free
      (loop $probe
        (local.set $value (i32.load (i32.add (local.get $table)
          (i32.shl (i32.and (local.get $slot) (i32.const 0x3ff)) (i32.const 2)))))
        (br_if $free (i32.eqz (local.get $value)))
        (if (i32.eq (local.get $value) (local.get $hash)) (then (return (i32.const 1))))
        (local.set $slot (i32.add (local.get $slot) (i32.const 1)))
        (br $probe)))
    (i32.const 0))

  ;; A letter, a digit, `-`, `.` or `_`
  (func $isNameByte (param $code i32) (result i32)
    (i32.or
      (i32.or
        (i32.lt_u (i32.sub (i32.or (local.get $code) (i32.const 0x20)) (i32.const 97)) (i32.const 26))
        (i32.lt_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10)))
      (i32.or
        (i32.or (i32.eq (local.get $code) (i32.const 45)) (i32.eq (local.get $code) (i32.const 46)))
        (i32.eq (local.get $code) (i32.const 95)))))

  ;; The number of words before a position.
  (func $place (param $at i32) (result i32)
    (i32.shr_u (i32.sub (local.get $at) (global.get $words)) (i32.const 2)))

  ;; A block without words does not count. A link around several blocks goes on.
  (func $endBlock
    (local $slot i32) (local $isInLink i32)
    (if (i32.eq (global.get $out) (global.get $blockFrom)) (then (return)))
    (local.set $isInLink (global.get $linkFrom))
    (call $endLink)
    (local.set $slot (i32.shl (global.get $blocks) (i32.const 2)))
    (i32.store (i32.add (global.get $ends) (local.get $slot)) (call $place (global.get $out)))
    (i32.store (i32.add (global.get $hashes) (local.get $slot)) (global.get $block))
    (i32.store (i32.add (global.get $sizes) (local.get $slot)) (global.get $textWords))
    (i32.store8
      (i32.add (global.get $linked) (global.get $blocks))
      (i32.eq (global.get $linkBytes) (i32.sub (global.get $out) (global.get $blockFrom))))
    (global.set $blocks (i32.add (global.get $blocks) (i32.const 1)))
    (global.set $blockFrom (global.get $out))
    (global.set $block (i32.const 0))
    (global.set $textWords (i32.const 0))
    (global.set $linkBytes (i32.const 0))
    (if (local.get $isInLink) (then (global.set $linkFrom (global.get $out)))))

  (func $endLink
    (if (i32.eqz (global.get $linkFrom)) (then (return)))
    (global.set $linkBytes
      (i32.add (global.get $linkBytes) (i32.sub (global.get $out) (global.get $linkFrom))))
    (global.set $linkFrom (i32.const 0)))

  ;; Reads the text from $at to $to and writes its words. A page that is full is cut.
  (func $text (param $at i32) (param $to i32)
    (local $out i32) (local $left i32) (local $bits i64) (local $edges i64) (local $carry i64) (local $start i32)
    (local $beyond i32) (local $word i32) (local $isText i32) (local $block i32)
    (local $textWords i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $end i32) (local $size i32) (local $bytes v128) (local $lowerCase v128)
    (local $low i64) (local $high i64) (local $hash i64)
    (local.set $lowerCase (i8x16.splat (i32.const 0x20)))
    (if (i32.or
          (i32.ge_u (global.get $out) (global.get $wordsEnd))
          (i32.eq (global.get $blocks) (i32.const 0x10000)))
      (then
        (global.set $isCut (i32.const 1))
        (return)))
    (local.set $out (global.get $out))
    (local.set $block (global.get $block))
    (local.set $textWords (global.get $textWords))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $a (v128.load (local.get $at)))
        (local.set $b (v128.load offset=16 (local.get $at)))
        (local.set $c (v128.load offset=32 (local.get $at)))
        (local.set $d (v128.load offset=48 (local.get $at)))
        (local.set $left (i32.sub (local.get $to) (local.get $at)))
        (local.set $bits (call $join
          (call $inWord (local.get $a)) (call $inWord (local.get $b))
          (call $inWord (local.get $c)) (call $inWord (local.get $d))))
        (if (i32.lt_u (local.get $left) (i32.const 64))
          (then (local.set $bits (call $lowest (local.get $bits) (local.get $left)))))
        (local.set $beyond (i32.const 0))
        (if (i8x16.bitmask (v128.or (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d))))
          (then
            ;; Only the text before the first character beyond ASCII counts for now.
            (local.set $left (i32.wrap_i64 (i64.ctz
              (call $join (local.get $a) (local.get $b) (local.get $c) (local.get $d)))))
            (local.set $beyond (i32.lt_u (i32.add (local.get $at) (local.get $left)) (local.get $to)))
            (local.set $bits (call $lowest (local.get $bits) (local.get $left)))))
        (local.set $edges (i64.xor (local.get $bits)
          (i64.or (i64.shl (local.get $bits) (i64.const 1)) (local.get $carry))))
        (local.set $carry (i64.shr_u (local.get $bits) (i64.const 63)))
        ;; A word that goes on with the character is not closed before it.
        (if (local.get $beyond)
          (then (local.set $edges (call $lowest (local.get $edges) (local.get $left)))))
        (block $empty
          (loop $more
            (br_if $empty (i64.eqz (local.get $edges)))
            (if (i32.eqz (local.get $start))
              (then
                (local.set $start (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $edges)))))
                (local.set $edges (i64.and (local.get $edges) (i64.sub (local.get $edges) (i64.const 1))))
                (br_if $empty (i64.eqz (local.get $edges)))))
            (local.set $end (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $edges)))))
            (local.set $size (i32.sub (local.get $end) (local.get $start)))
            (if (i32.le_u (local.get $size) (i32.const 16))
              (then
                ;; The same as $word for ASCII characters.
                (local.set $bytes (v128.and
                  (v128.or (v128.load (i32.sub (local.get $end) (i32.const 16))) (local.get $lowerCase))
                  (v128.load offset=16 (local.get $size))))
                (local.set $low (i64x2.extract_lane 0 (local.get $bytes)))
                (local.set $high (i64x2.extract_lane 1 (local.get $bytes)))
                (local.set $hash (i64.mul (local.get $low) (i64.const 0x9e3779b97f4a7c15)))
                (local.set $hash (i64.mul
                  (i64.xor (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32))) (local.get $high))
                  (i64.const 0xbf58476d1ce4e5b9)))
                (local.set $hash (i64.mul
                  (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32)))
                  (i64.const 0x94d049bb133111eb)))
                (local.set $isText (i64.ne
                  (i64.and (i64.or (local.get $low) (local.get $high)) (i64.const 0x4040404040404040))
                  (i64.const 0)))
                (local.set $word (i32.or
                  (i32.and (i32.wrap_i64 (i64.shr_u (local.get $hash) (i64.const 32))) (i32.const -2))
                  (i32.eqz (local.get $isText)))))
              (else
                (local.set $word (call $word (local.get $start) (local.get $end)))
                (local.set $isText (i32.eqz (i32.and (local.get $word) (i32.const 1))))))
            (i32.store (local.get $out) (local.get $word))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            ;; The same as $store, with local variables.
            (local.set $textWords (i32.add (local.get $textWords) (local.get $isText)))
            (local.set $block (select
              (i32.xor (i32.mul (i32.rotl (local.get $block) (i32.const 5)) (i32.const 0x9e3779b1)) (local.get $word))
              (local.get $block)
              (local.get $isText)))
            (local.set $edges (i64.and (local.get $edges) (i64.sub (local.get $edges) (i64.const 1))))
            (local.set $start (i32.const 0))
            (br $more)))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (if (local.get $beyond)
          (then
            (local.set $at (i32.add (i32.sub (local.get $at) (i32.const 64)) (local.get $left)))
            (global.set $block (local.get $block))
            (global.set $textWords (local.get $textWords))
            (local.set $out (call $bytes
              (select (local.get $start) (local.get $at) (local.get $start)) (local.get $to) (local.get $out)))
            (local.set $block (global.get $block))
            (local.set $textWords (global.get $textWords))
            (local.set $at (global.get $at))
            (local.set $start (i32.const 0))
            (local.set $carry (i64.const 0))))
        (br $next)))
    (global.set $block (local.get $block))
    (global.set $textWords (local.get $textWords))
    (if (local.get $start)
      (then (local.set $out (call $store (local.get $out) (call $word (local.get $start) (local.get $to))))))
    (if (i32.gt_u (local.get $out) (global.get $wordsEnd))
      (then
        (local.set $out (global.get $wordsEnd))
        (global.set $isCut (i32.const 1))))
    (global.set $out (local.get $out)))

  ;; Stores a word and adds it to the open block. Numbers do not count for the block.
  (func $store (param $out i32) (param $word i32) (result i32)
    (local $isText i32)
    (i32.store (local.get $out) (local.get $word))
    (local.set $isText (i32.eqz (i32.and (local.get $word) (i32.const 1))))
    (global.set $textWords (i32.add (global.get $textWords) (local.get $isText)))
    (global.set $block (select
      (i32.xor (i32.mul (i32.rotl (global.get $block) (i32.const 5)) (i32.const 0x9e3779b1)) (local.get $word))
      (global.get $block)
      (local.get $isText)))
    (i32.add (local.get $out) (i32.const 4)))

  ;; Counts the words that were not counted before in both tables. The lowest bit of a word says whether it is a number,
  ;; so the other bits choose the counters.
  (func $count
    (local $at i32) (local $out i32) (local $word i32) (local $counter i32)
    (local.set $at (global.get $counted))
    (local.set $out (global.get $out))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $out)))
        (local.set $word (i32.load (local.get $at)))
        (local.set $counter (i32.add (global.get $counts)
          (i32.and (i32.shr_u (local.get $word) (i32.const 1)) (i32.const 63))))
        (i32.store8 (local.get $counter) (i32.add (i32.load8_u (local.get $counter)) (i32.const 1)))
        (local.set $counter (i32.add (global.get $counts)
          (i32.and (i32.shr_u (local.get $word) (i32.const 9)) (i32.const 63))))
        (i32.store8 offset=64 (local.get $counter)
          (i32.add (i32.load8_u offset=64 (local.get $counter)) (i32.const 1)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (global.set $counted (local.get $out)))

  ;; One bit for each of 64 bytes: the highest of the byte.
  (func $join (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result i64)
    (i64.or
      (i64.extend_i32_u (i32.or
        (i8x16.bitmask (local.get $a))
        (i32.shl (i8x16.bitmask (local.get $b)) (i32.const 16))))
      (i64.shl
        (i64.extend_i32_u (i32.or
          (i8x16.bitmask (local.get $c))
          (i32.shl (i8x16.bitmask (local.get $d)) (i32.const 16))))
        (i64.const 32))))

  ;; The $count lowest bits. $count is less than 64.
  (func $lowest (param $bits i64) (param $count i32) (result i64)
    (i64.and (local.get $bits)
      (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $count))) (i64.const 1))))

  ;; All bits of a byte are set if it is an ASCII letter or digit.
  (func $inWord (param $bytes v128) (result v128)
    (v128.or
      (call $letters (v128.or (local.get $bytes) (i8x16.splat (i32.const 0x20))))
      (i8x16.lt_u (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 48))) (i8x16.splat (i32.const 10)))))

  ;; All bits of a byte are set if it is a lower-case ASCII letter.
  (func $letters (param $bytes v128) (result v128)
    (i8x16.lt_u (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 97))) (i8x16.splat (i32.const 26))))

  ;; The word from $start to $end, as it is stored.
  (func $word (param $start i32) (param $end i32) (result i32)
    (local $part i32) (local $bytes v128) (local $low i64) (local $high i64) (local $all i64) (local $hash i64)
    ;; The first part of a long word is the shorter one, and the others have 16 bytes.
    (local.set $part (i32.add
      (i32.and (i32.sub (i32.sub (local.get $end) (local.get $start)) (i32.const 1)) (i32.const 15))
      (i32.const 1)))
    (loop $next
      (local.set $start (i32.add (local.get $start) (local.get $part)))
      (local.set $bytes (v128.load (i32.sub (local.get $start) (i32.const 16))))
      ;; ASCII letters become lower case. Digits have this bit already, and bytes beyond ASCII do not get it.
      (local.set $bytes (v128.and
        (v128.or (local.get $bytes) (v128.and
          (i8x16.gt_s (local.get $bytes) (i8x16.splat (i32.const -1)))
          (i8x16.splat (i32.const 0x20))))
        (v128.load offset=16 (local.get $part))))
      (local.set $low (i64x2.extract_lane 0 (local.get $bytes)))
      (local.set $high (i64x2.extract_lane 1 (local.get $bytes)))
      (local.set $all (i64.or (local.get $all) (i64.or (local.get $low) (local.get $high))))
      (local.set $hash (i64.mul
        (i64.xor (local.get $hash) (local.get $low))
        (i64.const 0x9e3779b97f4a7c15)))
      (local.set $hash (i64.mul
        (i64.xor (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32))) (local.get $high))
        (i64.const 0xbf58476d1ce4e5b9)))
      (local.set $part (i32.const 16))
      (br_if $next (i32.lt_u (local.get $start) (local.get $end))))
    (local.set $hash (i64.mul
      (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32)))
      (i64.const 0x94d049bb133111eb)))
    ;; Letters and bytes beyond ASCII have one of two bits that digits do not have.
    (i32.or
      (i32.and (i32.wrap_i64 (i64.shr_u (local.get $hash) (i64.const 32))) (i32.const -2))
      (i64.eqz (i64.and (local.get $all) (i64.const 0xc0c0c0c0c0c0c0c0)))))

  ;; Like $text, for any text, up to a gap after which ASCII follows.
  (func $bytes (param $at i32) (param $to i32) (param $out i32) (result i32)
    (local $code i32) (local $end i32) (local $role i32) (local $start i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $code (i32.load8_u (local.get $at)))
        (local.set $end (i32.add (local.get $at) (i32.const 1)))
        (if (i32.lt_u (local.get $code) (i32.const 0x80))
          (then
            (local.set $role (select (i32.const 0) (i32.const 2) (i32.or
              (i32.lt_u (i32.sub (i32.or (local.get $code) (i32.const 0x20)) (i32.const 97)) (i32.const 26))
              (i32.lt_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10))))))
          (else
            (block $whole
              (loop $continued
                (br_if $whole (i32.ge_u (local.get $end) (local.get $to)))
                (br_if $whole (i32.ne (i32.and (i32.load8_u (local.get $end)) (i32.const 0xc0)) (i32.const 0x80)))
                (local.set $end (i32.add (local.get $end) (i32.const 1)))
                (br $continued)))
            (local.set $role (call $role (local.get $at) (local.get $end)))))
        (if (local.get $role)
          (then
            (local.set $out (call $close (local.get $start) (local.get $at) (local.get $out)))
            (local.set $start (i32.const 0))
            (if (i32.eq (local.get $role) (i32.const 1))
              (then (local.set $out (call $close (local.get $at) (local.get $end) (local.get $out)))))
            (br_if $done (i32.and
              (i32.lt_u (local.get $code) (i32.const 0x80))
              (i32.lt_u (i32.load8_u (local.get $end)) (i32.const 0x80)))))
          (else
            (if (i32.eqz (local.get $start)) (then (local.set $start (local.get $at))))))
        (local.set $at (local.get $end))
        (br $next)))
    (global.set $at (local.get $at))
    (call $close (local.get $start) (local.get $at) (local.get $out)))

  ;; Ends the word that began at $start, unless that is 0.
  (func $close (param $start i32) (param $end i32) (param $out i32) (result i32)
    (if (i32.eqz (local.get $start)) (then (return (local.get $out))))
    (call $store (local.get $out) (call $word (local.get $start) (local.get $end))))

  ;; What a character beyond ASCII does: 0, it is a letter of a word; 1, it is a word of its own; 2, it ends a word.
  (func $role (param $at i32) (param $end i32) (result i32)
    (local $first i32) (local $second i32)
    (local.set $first (i32.load8_u (local.get $at)))
    (if (i32.gt_u (local.get $end) (i32.add (local.get $at) (i32.const 1)))
      (then (local.set $second (i32.load8_u offset=1 (local.get $at)))))
    ;; U+0080-00BF: no-break space, soft hyphen, quotes and other signs.
    (if (i32.eq (local.get $first) (i32.const 0xc2))
      (then
        (global.set $hasSign (i32.or (global.get $hasSign) (i32.eq (local.get $second) (i32.const 0xa9))))
        (return (i32.const 2))))
    (if (i32.lt_u (local.get $first) (i32.const 0xe0)) (then (return (i32.const 0))))
    ;; U+2000-2BFF: dashes, quotes, zero-width marks, arrows and boxes.
    (if (i32.and (i32.eq (local.get $first) (i32.const 0xe2)) (i32.lt_u (local.get $second) (i32.const 0xb0)))
      (then (return (i32.const 2))))
    ;; U+3000-303F: the wide space and East Asian punctuation.
    (if (i32.and (i32.eq (local.get $first) (i32.const 0xe3)) (i32.eq (local.get $second) (i32.const 0x80)))
      (then (return (i32.const 2))))
    (i32.const 1))
)
