/** The progress of a refresh on stderr. */
import { listen, type RefreshProgress } from '../core/events.ts';
import { clockText, ProgressLine } from './progress.ts';
import { count } from './readable.ts';

export function showRefreshProgress(stream: NodeJS.WriteStream): () => void {
  const line = new ProgressLine(stream);
  const stopProgress = listen('refresh/progress', (progress) => line.show(progressText(progress), progress.elapsedMs));
  return () => {
    stopProgress();
    line.end();
  };
}

export function progressText(progress: RefreshProgress): string {
  const { elapsedMs, looked, planned, newPages, changed, noise, reread, gone, failed, bytes } = progress;
  const parts = [
    clockText(elapsedMs),
    `${count(looked)} of ${count(Math.max(planned, looked))} pages`,
    `${count(newPages)} new`,
    `${count(changed)} changed`,
    ...(noise > 0 ? [`${count(noise)} noise`] : []),
    ...(reread > 0 ? [`${count(reread)} read for images`] : []),
    ...(gone > 0 ? [`${count(gone)} gone`] : []),
    `${count(failed)} failing`,
    `${(bytes / 1e6).toFixed(1)} MB`,
  ];
  return parts.join('  ');
}
