/** What was learned about a host. */
import type { ComponentChildren } from 'preact';
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { hostPath, pagePath } from '../../routing/paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Foreign, OutsideLink, UrlText } from '../../ui/foreign-text.tsx';
import { formatBytes, formatCount, formatName, plural } from '../../ui/format.ts';
import { Ago } from '../../ui/time.tsx';
import { RobotsBadge, shortDelay } from './sites-view.tsx';

type Detail = Answer<'getHost'>;
type Evidence = Pick<NonNullable<Detail['sources']>, 'verdict' | 'confirmed' | 'falseAlarms' | 'missed' | 'quiet'>;

export function HostFacts({ detail }: { readonly detail: Detail }) {
  const { copy } = useCopy();
  const { host, robots, watcher, sources, sitemaps, parameters, template, noise, mirrors } = detail;
  return (
    <div class="stack">
      <Part title="Manners">
        <dl class="facts">
          <dt>Delay</dt>
          <dd>{host.delayMs === null ? 'not learned yet' : shortDelay(host.delayMs)}</dd>
          <dt>robots.txt</dt>
          <dd>
            <RobotsBadge robots={host.robots} />
            {robots !== null && (
              <span class="muted">
                {' '}
                status {robots.status}, read <Ago at={robots.at} />
              </span>
            )}
          </dd>
          {host.trouble !== null && (
            <>
              <dt>Trouble</dt>
              <dd class="bad">{formatName(host.trouble)}</dd>
            </>
          )}
          {host.blockedUntil !== null && (
            <>
              <dt>Asked again</dt>
              <dd>
                <Ago at={host.blockedUntil} />
              </dd>
            </>
          )}
        </dl>
        {robots !== null && robots.text !== '' && (
          <details>
            <summary>Text of robots.txt</summary>
            <pre class="code" tabIndex={0}>
              <Foreign text={robots.text} />
              {robots.isCut && '\n…'}
            </pre>
          </details>
        )}
      </Part>
      {watcher !== null && (
        <Part title="Watcher">
          <EvidenceLine evidence={watcher} />
          <p>
            <OutsideLink url={watcher.url} />
          </p>
          <p class="muted">
            Report read <Ago at={watcher.readAt} />
          </p>
        </Part>
      )}
      {(sources !== null || sitemaps.length > 0) && (
        <Part title="Sitemaps and feeds">
          {sources !== null && <EvidenceLine evidence={sources} />}
          <ul class="plain-list">
            {sitemaps.map((url) => (
              <li key={url}>
                <a href={pagePath(copy, url)}>
                  <UrlText url={url} />
                </a>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {parameters.length > 0 && (
        <Part title="Query parameters">
          <ul class="plain-list">
            {parameters.map(({ space, name, verdict, pages }) => (
              <li key={`${space} ${name}`}>
                <code>
                  <Foreign text={name} />
                </code>{' '}
                <Badge tone="quiet">{formatName(verdict)}</Badge>{' '}
                <span class="muted">
                  {plural(pages, 'page')} of <Foreign text={space} />
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {template !== null && (
        <Part title="Template">
          <p>
            Learned from {plural(template.pages, 'page')} ({formatBytes(template.bytes)}).
          </p>
        </Part>
      )}
      {noise !== null && (
        <Part title="Noise">
          <p>
            {plural(noise.secondLooks, 'second look')}. {noise.ignored.length === 0 && 'Nothing is ignored.'}
          </p>
          {noise.ignored.length > 0 && (
            <details>
              <summary>{plural(noise.ignored.length, 'ignored part')}</summary>
              <ul class="plain-list">
                {noise.ignored.map((text) => (
                  <li key={text}>
                    <code>
                      <Foreign text={text} />
                    </code>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </Part>
      )}
      {mirrors.length > 0 && (
        <Part title="Mirrors">
          <ul class="plain-list">
            {mirrors.map((mirror) => (
              <li key={mirror.host + mirror.of}>
                <a href={hostPath(copy, mirror.host)}>
                  <UrlText url={mirror.host} />
                </a>{' '}
                mirrors{' '}
                <a href={hostPath(copy, mirror.of)}>
                  <UrlText url={mirror.of} />
                </a>
                <span class="muted">
                  {' '}
                  {formatCount(mirror.same)} pages are the same, {formatCount(mirror.different)} differ
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="part">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

const VERDICTS = {
  believed: <Badge tone="good">trusted</Badge>,
  'not-believed': <Badge tone="bad">not trusted</Badge>,
  unproven: <Badge tone="quiet">not proven yet</Badge>,
} as const;

function EvidenceLine({ evidence }: { readonly evidence: Evidence }) {
  const { verdict, confirmed, falseAlarms, missed, quiet } = evidence;
  return (
    <p>
      {VERDICTS[verdict]}{' '}
      <span class="muted">
        {plural(confirmed, 'report')} confirmed, {plural(falseAlarms, 'false alarm')}, {plural(missed, 'change')}{' '}
        missed, {plural(quiet, 'spot check')} without a change
      </span>
    </p>
  );
}
