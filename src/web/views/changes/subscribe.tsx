/** Ways to hear of changes: a feed, a webhook, and notifications of the browser. */
import { useEffect, useState } from 'preact/hooks';
import type { Change } from '../../../serve/contract/changes.ts';
import type { Query } from '../../../serve/contract/routes.ts';
import { addressOf } from '../../api/client.ts';
import { useCopy } from '../../api/session.ts';
import { pagePath } from '../../routing/paths.ts';
import { Button, Command, CopyButton } from '../../ui/button.tsx';
import { plain } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';

export function Subscribe({ filters }: { readonly filters: Query<'listChanges'> }) {
  const { copy } = useCopy();
  const feed = new URL(addressOf('getFeed', { copy }, filters), location.href).href;
  return (
    <details class="popover">
      <summary class="button button-plain">
        <Icon name="bell" /> Subscribe
      </summary>
      <div class="popover-body">
        <div class="popover-part">
          <h3>Feed (Atom), with the filters of this page</h3>
          <span class="command">
            <a class="feed-link" href={feed}>
              {feed}
            </a>
            <CopyButton text={feed} label="Copy the address of the feed" />
          </span>
        </div>
        <div class="popover-part">
          <h3>Webhook</h3>
          <Command text="orbweaver refresh --webhook https://example.org/hook" />
        </div>
        <div class="popover-part">
          <h3>Notifications of this browser</h3>
          <Notifications />
        </div>
      </div>
    </details>
  );
}

/** Many changes at once give one notification. */
const GATHER_MS = 3_000;

function Notifications() {
  const { copy, live } = useCopy();
  const [permission, setPermission] = useState(() =>
    typeof Notification === 'undefined' ? 'none' : Notification.permission,
  );
  const [isOn, setOn] = useState(false);

  useEffect(() => {
    live.keepWhenHidden(isOn);
    if (!isOn) return;
    let last = live.store.get().changes[0]?.seq ?? 0;
    let timer = 0;
    let waiting: Change[] = [];
    const tell = (): void => {
      timer = 0;
      const [first] = waiting;
      const text = waiting.length === 1 ? plain(first!.title || first!.url) : `${waiting.length} changes`;
      const note = new Notification(`${copy}: ${text}`, { tag: `orbweaver-${copy}` });
      note.onclick = () => {
        focus();
        location.assign(pagePath(copy, first!.url, { tab: 'diff' }));
      };
      waiting = [];
    };
    const stop = live.store.subscribe(() => {
      const fresh = live.store.get().changes.filter(({ seq }) => seq > last);
      if (fresh.length === 0) return;
      last = fresh[0]!.seq;
      waiting.push(...fresh);
      timer ||= window.setTimeout(tell, GATHER_MS);
    });
    return () => {
      live.keepWhenHidden(false);
      stop();
      clearTimeout(timer);
    };
  }, [isOn, copy, live]);

  if (permission === 'none') return <p class="muted">This browser has no notifications.</p>;
  if (permission === 'denied') return <p class="muted">This browser does not allow them for this address.</p>;
  const turnOn = async (): Promise<void> => {
    const answer = await Notification.requestPermission();
    setPermission(answer);
    setOn(answer === 'granted');
  };
  return (
    <div class="button-row">
      <Button icon="bell" onClick={() => (isOn ? setOn(false) : void turnOn())}>
        {isOn ? 'Stop notifications' : 'Notify me while this page is open'}
      </Button>
    </div>
  );
}
