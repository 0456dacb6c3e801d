export interface Score {
  encoding: string;
  /** How unlikely the text is in this encoding: the sum of `-1.25 * log2(probability)` of its characters. */
  cost: number;
}

export function better(left: Score, right: Score): Score {
  return right.cost < left.cost ? right : left;
}
