/**
 * Says quickly whether a body may be a document, so that a program without documents loads no reader and starts no
 * thread. Only `readDocument` says whether it is one.
 */
const ZIP = Buffer.from('PK\u0003\u0004');
const RTF = Buffer.from('{\\rtf');
const PDF = Buffer.from('%PDF-');
/** A PDF may begin with other bytes, which viewers skip. */
const PDF_WITHIN = 1_024;
/** The names of files that DOCX, EPUB and ODT always have. Downloads in ZIP files are much more frequent. */
const ZIP_NAMES = ['word/document', 'META-INF/container.xml', 'META-INF/manifest.xml'];
/** The names stand at the end of a ZIP file. Ten thousand of them need less. */
const ZIP_NAMES_WITHIN = 1024 * 1024;

export function mayBeDocument(bytes: Buffer): boolean {
  if (startsWith(bytes, ZIP)) {
    const end = bytes.subarray(-ZIP_NAMES_WITHIN);
    return ZIP_NAMES.some((name) => end.includes(name));
  }
  return startsWith(bytes, RTF) || bytes.subarray(0, PDF_WITHIN).includes(PDF);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}
