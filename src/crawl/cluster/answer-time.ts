/** How long servers take to answer, by how many requests are under way and how many end in the time between two looks. */

/** Before any was measured, and the bounds of what is believed. */
const [USUAL_MS, QUICKEST_MS, SLOWEST_MS] = [250, 20, 20_000];

export class AnswerTime {
  ms = USUAL_MS;

  see(answers: number, underWay: number, sinceMs: number): void {
    if (answers === 0 || underWay === 0) return;
    const seenMs = (underWay * sinceMs) / answers;
    const believedMs = Math.min(SLOWEST_MS, Math.max(QUICKEST_MS, seenMs));
    this.ms += (believedMs - this.ms) / 2;
  }
}
