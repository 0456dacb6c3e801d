/** Whether a document is text that people can read as it stands, markup included. */
const TEXT_TYPE =
  /^(?:text\/.*|.*\+(?:xml|json)|application\/(?:xml|json|javascript|ecmascript|x-javascript|x-ndjson|x-www-form-urlencoded))$/;
const LOOKED_AT_BYTES = 1_024;

/** By its media type; where it has none, by its beginning. */
export function isText(mediaType: string, body: Buffer): boolean {
  return mediaType === '' ? !body.subarray(0, LOOKED_AT_BYTES).includes(0) : TEXT_TYPE.test(mediaType);
}
