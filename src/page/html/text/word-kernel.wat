;; Hashes the words of a text (collect-words.ts says what a word is).
;;
;; The hash of a word is a polynomial of its bytes: h = h * M + code, modulo 2^32. The code of an ASCII letter is
;; 0x100 + its lower case; the code of any other byte is the byte. A stored word is h << 1, and its lowest bit is 1 if
;; the word has digits only.
;;
;; Text without characters beyond ASCII is read 64 bytes at a time: one bit per byte says whether the byte belongs to a
;; word, and the words are between the places where the bits change. A word of up to 16 bytes is hashed at once, as the
;; sum of its codes times the powers of M. Other text is read byte by byte.
(module
  (memory (export "memory") 18)
  ;; Sixteen zeros and sixteen ones. Loading from 16 + n gives a mask of the last n bytes.
  (data (i32.const 32) "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff")

  ;; The open word of the text that is read byte by byte: its hash, and whether it has a letter.
  (global $hash (mut i32) (i32.const 0))
  (global $letters (mut i32) (i32.const 0))
  ;; The hash of the open block, and the number of its words that are not numbers.
  (global $block (mut i32) (i32.const 0))
  (global $textWords (mut i32) (i32.const 0))
  ;; Where reading byte by byte has stopped.
  (global $at (mut i32) (i32.const 0))

  ;; Reads the text from $from to $to and writes its words to $out. Returns the position after the last word.
  (func (export "words") (param $from i32) (param $to i32) (param $out i32) (result i32)
    (local $at i32) (local $left i32) (local $bits i64) (local $edges i64) (local $carry i64) (local $start i32)
    (local $beyond i32) (local $word i32) (local $isText i32) (local $block i32)
    (local $textWords i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $at (local.get $from))
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
            (local.set $word (call $word
              (local.get $start)
              (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $edges))))))
            (i32.store (local.get $out) (local.get $word))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            ;; The same as $store, with local variables.
            (local.set $isText (i32.eqz (i32.and (local.get $word) (i32.const 1))))
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
    (local.get $out))

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

  ;; Ends the open block. Writes its hash to position 0 and the number of its words that are not numbers behind it: code
  ;; outside reads memory faster than globals.
  (func (export "endBlock")
    (i32.store (i32.const 0) (global.get $block))
    (i32.store offset=4 (i32.const 0) (global.get $textWords))
    (global.set $block (i32.const 0))
    (global.set $textWords (i32.const 0)))

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
    (local $length i32) (local $part i32) (local $hash i32)
    (local $bytes v128) (local $lower v128) (local $isLetter v128)
    (local $codes v128) (local $more v128) (local $sum v128) (local $high v128) (local $any v128)
    (local.set $length (i32.sub (local.get $end) (local.get $start)))
    ;; The first part of a long word is the shorter one, and the others have 16 bytes.
    (local.set $part (i32.add (i32.and (i32.sub (local.get $length) (i32.const 1)) (i32.const 15)) (i32.const 1)))
    (loop $next
      (local.set $start (i32.add (local.get $start) (local.get $part)))
      (local.set $bytes (v128.and
        (v128.load (i32.sub (local.get $start) (i32.const 16)))
        (v128.load offset=16 (local.get $part))))
      (local.set $lower (v128.or (local.get $bytes) (i8x16.splat (i32.const 0x20))))
      (local.set $isLetter (call $letters (local.get $lower)))
      (local.set $any (v128.or (local.get $any) (local.get $isLetter)))
      (local.set $bytes (v128.bitselect (local.get $lower) (local.get $bytes) (local.get $isLetter)))
      (local.set $isLetter (v128.and (local.get $isLetter) (i8x16.splat (i32.const 1))))
      ;; Codes have 16 bits: the byte, and the bit of a letter above it.
      (local.set $codes (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23
        (local.get $bytes) (local.get $isLetter)))
      (local.set $more (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31
        (local.get $bytes) (local.get $isLetter)))
      ;; The powers of M, from M^15 to 1, in two halves: low + 0x10000 * high.
      (local.set $high (i32x4.add
        (i32x4.dot_i16x8_s (local.get $codes) (v128.const i16x8 5979 4775 14317 22543 30469 -22235 19508 32355))
        (i32x4.dot_i16x8_s (local.get $more) (v128.const i16x8 -280 22949 8950 28336 16991 17729 11291 0))))
      (local.set $sum (i32x4.add
        (i32x4.add
          (i32x4.dot_i16x8_s (local.get $codes) (v128.const i16x8 -20315 -19943 -22307 30769 2133 14985 11533 3873))
          (i32x4.dot_i16x8_s (local.get $more) (v128.const i16x8 -15099 -25607 20029 -26863 -26955 18025 15469 1)))
        (i32x4.shl (local.get $high) (i32.const 16))))
      (local.set $sum (i32x4.add (local.get $sum)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sum) (local.get $sum))))
      (local.set $hash (i32.add
        (i32.mul (local.get $hash) (i32.const 812311105)) ;; M^16
        (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))))
      (local.set $part (i32.const 16))
      (br_if $next (i32.lt_u (local.get $start) (local.get $end))))
    (i32.or (i32.shl (local.get $hash) (i32.const 1)) (i32.eqz (v128.any_true (local.get $any)))))

  ;; Like "words", for any text, up to a gap after which ASCII follows.
  (func $bytes (param $at i32) (param $to i32) (param $out i32) (result i32)
    (local $code i32) (local $end i32) (local $role i32)
    (global.set $hash (i32.const 0))
    (global.set $letters (i32.const 0))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $code (i32.load8_u (local.get $at)))
        (local.set $end (i32.add (local.get $at) (i32.const 1)))
        (if (i32.lt_u (local.get $code) (i32.const 0x80))
          (then
            (if (i32.lt_u (i32.sub (i32.or (local.get $code) (i32.const 0x20)) (i32.const 97)) (i32.const 26))
              (then (call $add (i32.or (local.get $code) (i32.const 0x120))))
              (else
                (if (i32.lt_u (i32.sub (local.get $code) (i32.const 48)) (i32.const 10))
                  (then (call $add (local.get $code)))
                  (else
                    (local.set $out (call $close (local.get $out)))
                    (br_if $done (i32.lt_u (i32.load8_u (local.get $end)) (i32.const 0x80))))))))
          (else
            (block $whole
              (loop $continued
                (br_if $whole (i32.ge_u (local.get $end) (local.get $to)))
                (br_if $whole (i32.ne (i32.and (i32.load8_u (local.get $end)) (i32.const 0xc0)) (i32.const 0x80)))
                (local.set $end (i32.add (local.get $end) (i32.const 1)))
                (br $continued)))
            (local.set $role (call $role (local.get $at) (local.get $end)))
            (if (local.get $role) (then (local.set $out (call $close (local.get $out)))))
            (if (i32.ne (local.get $role) (i32.const 2))
              (then
                (loop $each
                  (call $add (i32.load8_u (local.get $at)))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br_if $each (i32.lt_u (local.get $at) (local.get $end))))
                (global.set $letters (i32.const 0x100))))
            (if (i32.eq (local.get $role) (i32.const 1)) (then (local.set $out (call $close (local.get $out)))))))
        (local.set $at (local.get $end))
        (br $next)))
    (global.set $at (local.get $at))
    (call $close (local.get $out)))

  (func $add (param $code i32)
    (global.set $hash (i32.add (i32.mul (global.get $hash) (i32.const 0x2c1b3c6d)) (local.get $code)))
    (global.set $letters (i32.or (global.get $letters) (local.get $code))))

  ;; Ends the open word, if there is one.
  (func $close (param $out i32) (result i32)
    (if (i32.eqz (global.get $hash)) (then (return (local.get $out))))
    (local.set $out (call $store (local.get $out) (i32.or
      (i32.shl (global.get $hash) (i32.const 1))
      (i32.eqz (i32.and (global.get $letters) (i32.const 0x100))))))
    (global.set $hash (i32.const 0))
    (global.set $letters (i32.const 0))
    (local.get $out))

  ;; What a character beyond ASCII does: 0, it is a letter of a word; 1, it is a word of its own; 2, it ends a word.
  (func $role (param $at i32) (param $end i32) (result i32)
    (local $first i32) (local $second i32)
    (local.set $first (i32.load8_u (local.get $at)))
    (if (i32.gt_u (local.get $end) (i32.add (local.get $at) (i32.const 1)))
      (then (local.set $second (i32.load8_u offset=1 (local.get $at)))))
    ;; U+0080-00BF: no-break space, soft hyphen, quotes and other signs.
    (if (i32.eq (local.get $first) (i32.const 0xc2)) (then (return (i32.const 2))))
    (if (i32.lt_u (local.get $first) (i32.const 0xe0)) (then (return (i32.const 0))))
    ;; U+2000-2BFF: dashes, quotes, zero-width marks, arrows and boxes.
    (if (i32.and (i32.eq (local.get $first) (i32.const 0xe2)) (i32.lt_u (local.get $second) (i32.const 0xb0)))
      (then (return (i32.const 2))))
    ;; U+3000-303F: the wide space and East Asian punctuation.
    (if (i32.and (i32.eq (local.get $first) (i32.const 0xe3)) (i32.eq (local.get $second) (i32.const 0x80)))
      (then (return (i32.const 2))))
    (i32.const 1))
)
