;; Computes the grams of a text and what a sketch needs of them (fingerprints.ts says what grams, fingerprints and
;; samples are).
;;
;; The memory: the smallest hash of each part of the sample, then the words, then as many grams. The positions are
;; exported, so that the program that fills and reads the memory uses the same ones.
(module
  (memory (export "memory") 28)
  ;; 128 parts, so the highest seven bits of a hash name its part.
  (global $least (export "least") i32 (i32.const 0))
  (global $words (export "words") i32 (i32.const 1024))
  ;; The first megabyte is for words. A gram needs the two words behind it, and four are read at a time.
  (global $grams (export "grams") i32 (i32.const 0xd8000))

  ;; Computes the grams of the first $count words and the smallest hash of each part. Returns the number of grams.
  (func (export "fill") (param $count i32) (result i32)
    (local $length i32) (local $at i32) (local $from i32) (local $gram v128) (local $hash v128) (local $rest v128)
    (memory.fill (global.get $least) (i32.const 0xff) (i32.const 512))
    (if (i32.lt_u (local.get $count) (i32.const 3)) (then (return (i32.const 0))))
    (local.set $length (i32.sub (local.get $count) (i32.const 2)))
    (loop $next
      (local.set $from (i32.add (global.get $words) (i32.shl (local.get $at) (i32.const 2))))
      (local.set $gram (i32x4.add
        (call $mixed (v128.load (local.get $from)))
        (v128.load offset=4 (local.get $from))))
      (local.set $gram (i32x4.add (call $mixed (local.get $gram)) (v128.load offset=8 (local.get $from))))
      (local.set $gram (i32x4.mul
        (v128.xor (local.get $gram) (i32x4.shr_u (local.get $gram) (i32.const 16)))
        (i32x4.splat (i32.const 0x85ebca6b))))
      (local.set $gram (v128.xor (local.get $gram) (i32x4.shr_u (local.get $gram) (i32.const 13))))
      (v128.store
        (i32.add (global.get $grams) (i32.shl (local.get $at) (i32.const 2)))
        (local.get $gram))
      (local.set $hash (i32x4.mul
        (v128.xor (local.get $gram) (i32x4.shr_u (local.get $gram) (i32.const 15)))
        (i32x4.splat (i32.const 0x2c1b3c6d))))
      (local.set $rest (i32x4.mul
        (v128.xor (local.get $hash) (i32x4.shr_u (local.get $hash) (i32.const 12)))
        (i32x4.splat (i32.const 0x297a2d39))))
      ;; What is read behind the last gram has the largest value, so it is never the smallest.
      (local.set $rest (v128.or (local.get $rest)
        (i32x4.ge_u
          (i32x4.add (i32x4.splat (local.get $at)) (v128.const i32x4 0 1 2 3))
          (i32x4.splat (local.get $length)))))
      (local.set $hash (v128.and (i32x4.shr_u (local.get $hash) (i32.const 23)) (i32x4.splat (i32.const 0x1fc))))
      (call $keep (i32x4.extract_lane 0 (local.get $hash)) (i32x4.extract_lane 0 (local.get $rest)))
      (call $keep (i32x4.extract_lane 1 (local.get $hash)) (i32x4.extract_lane 1 (local.get $rest)))
      (call $keep (i32x4.extract_lane 2 (local.get $hash)) (i32x4.extract_lane 2 (local.get $rest)))
      (call $keep (i32x4.extract_lane 3 (local.get $hash)) (i32x4.extract_lane 3 (local.get $rest)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $length))))
    (local.get $length))

  (func $mixed (param $hash v128) (result v128)
    (i32x4.mul
      (v128.or (i32x4.shl (local.get $hash) (i32.const 7)) (i32x4.shr_u (local.get $hash) (i32.const 25)))
      (i32x4.splat (i32.const 0x9e3779b1))))

  ;; Keeps the hash if it is the smallest of its part. $part is the position of the part. Nobody can predict whether it
  ;; is, so there is no branch: with one, computing the grams took more than twice as long.
  (func $keep (param $part i32) (param $rest i32)
    (local $least i32)
    (local.set $least (i32.load (local.get $part)))
    (i32.store
      (local.get $part)
      (select (local.get $rest) (local.get $least) (i32.lt_u (local.get $rest) (local.get $least)))))

  ;; Replaces the words by the fingerprints that are at most $limit, in the order of the text. Returns how many.
  (func (export "select") (param $length i32) (param $limit i32) (result i32)
    (local $at i32) (local $bits i32) (local $gram i32) (local $size i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $length)))
        (local.set $bits (i32x4.bitmask (i32x4.le_u
          (v128.load (i32.add (global.get $grams) (i32.shl (local.get $at) (i32.const 2))))
          (i32x4.splat (local.get $limit)))))
        (block $none
          (loop $more
            (br_if $none (i32.eqz (local.get $bits)))
            (local.set $gram (i32.add (local.get $at) (i32.ctz (local.get $bits))))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br_if $none (i32.ge_u (local.get $gram) (local.get $length)))
            (br_if $more (i32.eqz (call $isSelected (local.get $gram) (local.get $length))))
            (i32.store
              (i32.add (global.get $words) (i32.shl (local.get $size) (i32.const 2)))
              (call $gram (local.get $gram)))
            (local.set $size (i32.add (local.get $size) (i32.const 1)))
            (br $more)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next)))
    (local.get $size))

  (func $gram (param $at i32) (result i32)
    (i32.load (i32.add (global.get $grams) (i32.shl (local.get $at) (i32.const 2)))))

  ;; Returns 1 if a window of four grams has its smallest value here. A text of fewer grams is one window.
  (func $isSelected (param $at i32) (param $length i32) (result i32)
    (local $value i32) (local $first i32) (local $last i32)
    (local.set $value (call $gram (local.get $at)))
    (local.set $first (local.get $at))
    (local.set $last (local.get $at))
    (block $begins
      (loop $before
        (br_if $begins (i32.eqz (local.get $first)))
        (br_if $begins (i32.ge_u (i32.sub (local.get $at) (local.get $first)) (i32.const 3)))
        (br_if $begins (i32.lt_u (call $gram (i32.sub (local.get $first) (i32.const 1))) (local.get $value)))
        (local.set $first (i32.sub (local.get $first) (i32.const 1)))
        (br $before)))
    (block $ends
      (loop $after
        (br_if $ends (i32.ge_u (i32.add (local.get $last) (i32.const 1)) (local.get $length)))
        (br_if $ends (i32.ge_u (i32.sub (local.get $last) (local.get $first)) (i32.const 3)))
        (br_if $ends (i32.le_u (call $gram (i32.add (local.get $last) (i32.const 1))) (local.get $value)))
        (local.set $last (i32.add (local.get $last) (i32.const 1)))
        (br $after)))
    (i32.ge_u
      (i32.add (i32.sub (local.get $last) (local.get $first)) (i32.const 1))
      (select (i32.const 4) (local.get $length) (i32.gt_u (local.get $length) (i32.const 4)))))
)
