;; Decodes positions (positions-writer.ts says how they are written).
;;
;; The memory: the bytes of a block, then the ends of its pages, then the positions. The places are exported, so that
;; the program that fills and reads the memory uses the same ones.
(module
  (memory (export "memory") 16)
  (global $ends (export "ends") i32 (i32.const 0x70000))
  (global $positions (export "positions") i32 (i32.const 0x70400))
  (global $memoryEnd i32 (i32.const 0x100000))
  ;; The bit behind the last page that was decoded.
  (global $bit (mut i32) (i32.const 0))
  (func (export "end") (result i32) (global.get $bit))

  ;; Decodes pages from the bit $from on: passes over $passed of them, and then writes positions until there are $pages,
  ;; or 4,096 positions, or the bytes end. Writes for each page the number of positions up to its end. Returns the
  ;; number of pages that were written.
  ;;
  ;; All numbers are read by one loop, because a call for each number took a third of the time. A number is the number
  ;; of zero bits before the first one, and then low bits. After 16 zero bits and a one, it follows in 25 bits. Of each
  ;; page, the first number says how many positions follow the first one, the second is the first position, and the
  ;; others are steps. $header says how many low bits each of the three has.
  (func (export "decode")
    (param $from i32) (param $endBit i32) (param $passed i32) (param $pages i32) (param $header i32) (result i32)
    (local $countLow i32) (local $firstLow i32) (local $stepLow i32)
    (local $page i32) (local $at i32) (local $left i32) (local $position i32) (local $full i32)
    (local $bits i64) (local $high i32) (local $low i32) (local $number i32) (local $kind i32) (local $last i32)
    (local.set $at (global.get $positions))
    (local.set $full (i32.add (global.get $positions) (i32.const 16384)))
    (local.set $countLow (i32.and (local.get $header) (i32.const 7)))
    (local.set $firstLow (i32.and (i32.shr_u (local.get $header) (i32.const 3)) (i32.const 31)))
    (local.set $stepLow (i32.and (i32.shr_u (local.get $header) (i32.const 8)) (i32.const 31)))
    (local.set $last (i32.add (local.get $passed) (local.get $pages)))
    (local.set $low (local.get $countLow))
    (block $end
      (loop $next
        (br_if $end (i32.ge_u (local.get $from) (local.get $endBit)))
        (local.set $bits (i64.shr_u
          (i64.load (i32.shr_u (local.get $from) (i32.const 3)))
          (i64.extend_i32_u (i32.and (local.get $from) (i32.const 7)))))
        (local.set $high (i32.wrap_i64 (i64.ctz (local.get $bits))))
        (if (i32.lt_u (local.get $high) (i32.const 16))
          (then
            (local.set $high (i32.add (local.get $high) (i32.const 1)))
            (local.set $from (i32.add (local.get $from) (i32.add (local.get $high) (local.get $low))))
            (local.set $number (i32.or
              (i32.shl (i32.sub (local.get $high) (i32.const 1)) (local.get $low))
              (i32.and
                (i32.wrap_i64 (i64.shr_u (local.get $bits) (i64.extend_i32_u (local.get $high))))
                (i32.sub (i32.shl (i32.const 1) (local.get $low)) (i32.const 1))))))
          (else
            (local.set $from (i32.add (local.get $from) (i32.const 42)))
            (local.set $number
              (i32.and (i32.wrap_i64 (i64.shr_u (local.get $bits) (i64.const 17))) (i32.const 0x1ffffff)))))
        (if (i32.eqz (local.get $kind))
          (then
            (local.set $left (i32.add (local.get $number) (i32.const 1)))
            (local.set $position (i32.const -1))
            (local.set $low (local.get $firstLow))
            (local.set $kind (i32.const 1))
            (br $next)))
        (local.set $position (i32.add (i32.add (local.get $position) (i32.const 1)) (local.get $number)))
        (local.set $low (local.get $stepLow))
        (if (i32.ge_u (local.get $page) (local.get $passed))
          (then
            (br_if $end (i32.ge_u (local.get $at) (global.get $memoryEnd)))
            (i32.store (local.get $at) (local.get $position))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $next (local.get $left))
        (if (i32.ge_u (local.get $page) (local.get $passed))
          (then
            (i32.store
              (i32.add (global.get $ends) (i32.shl (i32.sub (local.get $page) (local.get $passed)) (i32.const 2)))
              (i32.shr_u (i32.sub (local.get $at) (global.get $positions)) (i32.const 2)))))
        (local.set $page (i32.add (local.get $page) (i32.const 1)))
        (local.set $low (local.get $countLow))
        (local.set $kind (i32.const 0))
        (br_if $end (i32.ge_u (local.get $page) (local.get $last)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $full)))))
    (global.set $bit (local.get $from))
    (select
      (i32.sub (local.get $page) (local.get $passed))
      (i32.const 0)
      (i32.gt_u (local.get $page) (local.get $passed)))))
