/** One URL: its content as of any date, its changes, its links, and why it was or was not fetched. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace, withQuery } from '../../routing/location.ts';
import { hostPath, pagePath } from '../../routing/paths.ts';
import { UrlState } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/button.tsx';
import { Foreign, hostOf, OutsideLink, UrlText } from '../../ui/foreign-text.tsx';
import { formatBytes, plural } from '../../ui/format.ts';
import { Empty, Shown } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Ago } from '../../ui/time.tsx';
import { Head } from '../../ui/toolbar.tsx';
import { ArchivedTab, DataTab, HeadersTab, ReadingTab } from './content-tabs.tsx';
import { DiffTab } from './diff-tab.tsx';
import { LinksTab } from './links-tab.tsx';
import { Timeline } from './timeline.tsx';

const TABS = {
  page: 'As it was',
  reading: 'Reading',
  diff: 'What changed',
  links: 'Links',
  why: 'Why',
  data: 'Data',
  headers: 'Headers',
} as const;
type TabName = keyof typeof TABS;
const WITH_CONTENT: readonly TabName[] = ['page', 'reading', 'diff', 'data', 'headers'];

export function PageView() {
  const { copy } = useCopy();
  const { query } = usePlace();
  const url = query.get('url') ?? '';
  const facts = useAnswer('getPage', url === '' ? null : { copy }, { url });
  if (url === '') {
    return (
      <>
        <Head title="Page" />
        <Empty title="The address names no URL">
          <p>Enter a URL in the search box above.</p>
        </Empty>
      </>
    );
  }
  return <Shown of={facts}>{(data) => <Page facts={data} />}</Shown>;
}

function Page({ facts }: { readonly facts: Answer<'getPage'> }) {
  const { query } = usePlace();
  const names = (Object.keys(TABS) as TabName[]).filter((name) => facts.hasContent || !WITH_CONTENT.includes(name));
  const first = names[0]!;
  const tab = names.find((name) => name === query.get('tab')) ?? first;
  const at = query.get('at') ?? undefined;
  const hasTimeline = facts.hasContent && WITH_CONTENT.includes(tab);
  return (
    <>
      <Head
        title={facts.title === '' ? <UrlText url={facts.url} /> : <Foreign text={facts.title} />}
        about={<PageLine facts={facts} />}
      />
      <Tabs
        label="Parts of the page"
        tabs={names.map((name) => ({
          label: TABS[name],
          href: withQuery({ tab: name === first ? '' : name }),
          isCurrent: name === tab,
        }))}
      />
      <div class={hasTimeline ? 'page-columns' : ''}>
        <div class="page-main">
          {tab === 'page' && <ArchivedTab url={facts.url} at={at} title={facts.title} />}
          {tab === 'reading' && <ReadingTab url={facts.url} at={at} />}
          {tab === 'diff' && <DiffTab url={facts.url} />}
          {tab === 'links' && <LinksTab url={facts.url} />}
          {tab === 'why' && <WhyTab facts={facts} />}
          {tab === 'data' && <DataTab url={facts.url} at={at} />}
          {tab === 'headers' && <HeadersTab url={facts.url} at={at} />}
        </div>
        {hasTimeline && <Timeline url={facts.url} tab={tab} />}
      </div>
    </>
  );
}

function PageLine({ facts }: { readonly facts: Answer<'getPage'> }) {
  const { copy } = useCopy();
  const host = hostOf(facts.url);
  const parts = [
    facts.contentType !== '' && facts.contentType.split(';')[0],
    facts.bytes > 0 && formatBytes(facts.bytes),
    facts.language,
    facts.inlinks > 0 && plural(facts.inlinks, 'link to it', 'links to it'),
  ].filter(Boolean);
  return (
    <>
      <span class="page-url">
        <OutsideLink url={facts.url} />
        <CopyButton text={facts.url} label="Copy the URL" />
      </span>
      <span class="page-line">
        {facts.isKnown ? (
          <UrlState state={facts.state ?? 'unknown'} reason={facts.reason} />
        ) : (
          <UrlState state="not known" />
        )}
        {host !== '' && <a href={hostPath(copy, host)}>Site</a>}
        {facts.fetchedAt !== null && (
          <span>
            fetched <Ago at={facts.fetchedAt} />
          </span>
        )}
        {facts.checkedAt !== null && facts.checkedAt !== facts.fetchedAt && (
          <span>
            checked <Ago at={facts.checkedAt} />
          </span>
        )}
        <span>{parts.join(' · ')}</span>
      </span>
    </>
  );
}

function WhyTab({ facts }: { readonly facts: Answer<'getPage'> }) {
  const { copy } = useCopy();
  const related = [
    ['Duplicate of', facts.duplicateOf],
    ['Canonical URL', facts.canonical],
    ['Near duplicate of', facts.nearDuplicateOf],
    ['Redirects to', facts.redirectTo],
  ] as const;
  const given = related.filter((pair): pair is readonly [(typeof related)[number][0], string] => pair[1] !== null);
  return (
    <div class="why">
      {facts.sentences.length === 0 && <p class="muted">There is nothing to say about this URL.</p>}
      <ul class="sentences">
        {facts.sentences.map((sentence) => (
          <li key={sentence}>
            <Foreign text={sentence} />
          </li>
        ))}
      </ul>
      {given.length > 0 && (
        <dl class="facts">
          {given.map(([name, url]) => (
            <div key={name} class="facts-row">
              <dt>{name}</dt>
              <dd>
                <a href={pagePath(copy, url)}>
                  <UrlText url={url} />
                </a>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
