/**
 * Estimates the exponent of the tail of a power law, by maximum likelihood over the values from `least` on (Clauset,
 * Shalizi and Newman, "Power-law distributions in empirical data", equation 3.7). The values are whole numbers, so
 * `least` begins half a step earlier.
 */
export function tailExponent(values: ArrayLike<number>, least: number): number {
  let count = 0;
  let logarithms = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i]! < least) continue;
    count++;
    logarithms += Math.log(values[i]! / (least - 0.5));
  }
  return 1 + count / logarithms;
}
