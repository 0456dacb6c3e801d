/** 1234567 → `1,234,567`. By hand: the first use of the language tables takes 50 ms of a start that takes 300. */
export function groupedDigits(whole: number): string {
  let text = String(Math.abs(whole));
  for (let at = text.length - 3; at > 0; at -= 3) text = `${text.slice(0, at)},${text.slice(at)}`;
  return whole < 0 ? `-${text}` : text;
}
