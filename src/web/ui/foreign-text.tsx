/**
 * Text that comes from the web. It is always a text node, isolated from the text around it, and its control characters
 * are made visible, because characters that reverse the direction can make `exe.png` of `gnp.exe`.
 */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export function plain(text: string): string {
  return text.replace(INVISIBLE, '\ufffd');
}

export function Foreign({ text, class: name }: { readonly text: string; readonly class?: string }) {
  return (
    <bdi class={name} dir="auto">
      {plain(text)}
    </bdi>
  );
}

/** A URL. The host is strong, because it is the part that tells where the page is. */
export function UrlText({ url }: { readonly url: string }) {
  const match = /^(https?:\/\/)([^/?#]+)(.*)$/s.exec(url);
  if (match === null) return <Foreign text={url} class="url" />;
  const [, scheme, host, rest] = match as unknown as [string, string, string, string];
  return (
    <bdi class="url" dir="ltr" title={plain(url)}>
      {scheme === 'https://' ? '' : scheme}
      <span class="url-host">{plain(host)}</span>
      {plain(rest)}
    </bdi>
  );
}

/** Leads out of the interface. Other schemes than http and https are shown, but never linked. */
export function OutsideLink({ url, label }: { readonly url: string; readonly label?: string }) {
  const content = label === undefined ? <UrlText url={url} /> : <Foreign text={label} />;
  if (!isWebUrl(url)) return content;
  return (
    <a class="outside" href={url} target="_blank" rel="noreferrer noopener">
      {content}
      <span class="outside-mark" aria-hidden="true">
        ↗
      </span>
      <span class="sr-only"> (leads outside, new tab)</span>
    </a>
  );
}

export function isWebUrl(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** Scheme and authority, as Orbweaver names a host. */
export function hostOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return '';
  }
}
