/** Shows Markdown as elements. Every text is a text node; links are checked before they are links. */
import { useMemo } from 'preact/hooks';
import { useCopy } from '../../api/session.ts';
import { pagePath } from '../../routing/paths.ts';
import { Foreign, isWebUrl, plain } from '../../ui/foreign-text.tsx';
import { type Block, readBlocks } from './markdown-blocks.ts';
import { readSpans, type Span } from './markdown-spans.ts';

export function Markdown({ text, base }: { readonly text: string; readonly base: string }) {
  const blocks = useMemo(() => readBlocks(text), [text]);
  return (
    <article class="prose" dir="auto">
      <Blocks blocks={blocks} base={base} />
    </article>
  );
}

function Blocks({ blocks, base }: { readonly blocks: readonly Block[]; readonly base: string }) {
  return blocks.map((block, at) => <BlockView key={at} block={block} base={base} />);
}

function BlockView({ block, base }: { readonly block: Block; readonly base: string }) {
  switch (block.kind) {
    case 'heading': {
      // The view itself has the heading of level 1.
      const Heading = `h${Math.min(6, block.level + 1)}` as 'h2';
      return (
        <Heading>
          <Inline text={block.text} base={base} />
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p>
          <Inline text={block.text} base={base} />
        </p>
      );
    case 'code':
      return (
        <pre class="code" tabIndex={0}>
          {plain(block.text)}
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} base={base} />
        </blockquote>
      );
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, at) => (
            <li key={at}>
              <Item blocks={item} base={base} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return <TableBlock rows={block.rows} base={base} />;
    default:
      return <hr />;
  }
}

/** An item of one paragraph is shown without the space around a paragraph. */
function Item({ blocks, base }: { readonly blocks: readonly Block[]; readonly base: string }) {
  const [first, ...rest] = blocks;
  if (first?.kind !== 'paragraph') return <Blocks blocks={blocks} base={base} />;
  return (
    <>
      <Inline text={first.text} base={base} />
      <Blocks blocks={rest} base={base} />
    </>
  );
}

function TableBlock({ rows, base }: { readonly rows: readonly (readonly string[])[]; readonly base: string }) {
  const [head, ...body] = rows;
  return (
    <div class="table-frame" role="region" aria-label="Table" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {head!.map((cell, at) => (
              <th key={at} scope="col">
                <Inline text={cell} base={base} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inline text={cell} base={base} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ text, base }: { readonly text: string; readonly base: string }) {
  return <Spans spans={readSpans(text)} base={base} />;
}

function Spans({ spans, base }: { readonly spans: readonly Span[]; readonly base: string }) {
  return spans.map((span, at) => <SpanView key={at} span={span} base={base} />);
}

function SpanView({ span, base }: { readonly span: Span; readonly base: string }) {
  const { copy } = useCopy();
  switch (span.kind) {
    case 'text':
      return <>{plain(span.text)}</>;
    case 'code':
      return <code>{plain(span.text)}</code>;
    case 'strong':
      return (
        <strong>
          <Spans spans={span.spans} base={base} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Spans spans={span.spans} base={base} />
        </em>
      );
    case 'image':
      return (
        <span class="image-text">
          picture: <Foreign text={span.text || span.url} />
        </span>
      );
    default: {
      const url = absolute(span.url, base);
      // A link leads to the page in the copy, not to the web.
      return url === null ? (
        <Spans spans={span.spans} base={base} />
      ) : (
        <a href={pagePath(copy, url, { tab: 'reading' })}>
          <Spans spans={span.spans} base={base} />
        </a>
      );
    }
  }
}

function absolute(url: string, base: string): string | null {
  try {
    const { href } = new URL(url, base);
    return isWebUrl(href) ? href : null;
  } catch {
    return null;
  }
}
