/** Decodes percent-encoding. Returns null if the text is not valid. */
export function decodeUri(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
