/** Pages of newspapers, blogs, forums, authorities and manuals. */
import { capital, clock, day, isoDate, paragraph, person, phone, place, sentence, slug, thing } from './made-words.ts';
import type { PageMaker } from './page-maker.ts';
import { layout } from './site-layout.ts';

export function frontPage(m: PageMaker): string {
  const teasers = Array.from({ length: 6 }, () =>
    m.slot('item', `<article><h2><a href="/news/${slug(m)}">${sentence(m)}</a></h2><p>${sentence(m)}</p></article>`),
  );
  return layout(
    m,
    `The ${place(m)} Gazette`,
    ...teasers,
    `<h2><a href="${m.slot('link', `/news/${slug(m)}`)}">${m.slot('heading', sentence(m))}</a></h2>`,
    `<p>Edition of ${m.slot('date', day(m))}</p>`,
    `<p><img src="${m.slot('image', `/photos/${slug(m)}.jpg`)}" alt="${m.slot('alt', sentence(m))}"></p>`,
  );
}

export function newsArticle(m: PageMaker): string {
  return layout(
    m,
    sentence(m),
    `<p class="byline">By ${m.slot('name', person(m))} · ${m.slot('byline', `${day(m)}, ${clock(m)}`)}</p>`,
    `<!-- comment --><div class="comment-meta">${m.slot('byline', day(m))}</div>`,
    ...Array.from({ length: 4 }, () => `<p>${m.slot('paragraph', paragraph(m))}</p>`),
    `<p>The film was seen by ${m.slot('countInProse', `${m.number(1, 9)},${m.number(100, 999)} people`)} and had <b>${m.slot('countInProse', `${m.number(1, 9)},${m.number(100, 999)} views`)}</b> in a week.</p>`,
    `<p>${m.slot('paragraph', `The old king died ${m.number(2, 9)} years ago.`)}</p>`,
    `<p>The bridge was closed <em>${m.slot('eventAge', `${m.number(2, 9)} days ago`)}</em> for repairs.</p>`,
  );
}

export function blogPost(m: PageMaker): string {
  const comments = Array.from({ length: 3 }, () =>
    m.slot('item', `<li><b>${person(m)}</b> <time datetime="${isoDate(m)}">${day(m)}</time><p>${sentence(m)}</p></li>`),
  );
  return layout(
    m,
    `Notes on a ${thing(m)}`,
    `<p>Posted on ${m.slot('byline', day(m))} by ${m.slot('name', person(m))}</p>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<pre>${m.slot('code', 'let kettle = boil(7);')}\n${m.slot('spacing', 'if (hot)\nserve()')}</pre>`,
    `<h2>${m.slot('countLike', `${m.number(2, 30)} comments`)}</h2>`,
    `<ol>${comments.join('')}</ol>`,
  );
}

export function forumThread(m: PageMaker): string {
  const posts = Array.from(
    { length: 4 },
    (_, at) =>
      `<div class="post" id="post-${at}"><b>${m.slot('name', person(m))}</b><div>${m.slot('paragraph', paragraph(m))}</div></div>`,
  );
  return layout(
    m,
    `Help with my ${thing(m)}`,
    ...posts,
    `<p>${m.slot('countLike', `${m.number(2, 90)} replies`)}</p>`,
    `<table><tr><td>Topics</td><td>${m.slot('cell', String(m.number(100, 999)))}</td></tr></table>`,
    `<p>Member since ${m.slot('date', day(m))}</p>`,
    `<div class="thread"><a href="${m.slot('link', `/topic/${slug(m)}`)}">next topic</a></div>`,
  );
}

export function wiki(m: PageMaker): string {
  return layout(
    m,
    capital(thing(m)),
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<h2>${m.slot('heading', 'Early history')}</h2>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<table><tr><th>Height</th><td>${m.slot('cell', `${m.number(100, 900)} m`)}</td></tr></table>`,
    `<p>This page was last edited on ${m.slot('date', `${day(m)}, at ${clock(m)}`)}.</p>`,
    `<ul><li><a href="${m.slot('link', `/wiki/${slug(m)}`)}">${m.slot('label', thing(m))}</a></li></ul>`,
  );
}

export function notice(m: PageMaker): string {
  return layout(
    m,
    `Public notice of ${place(m)}`,
    `<p>Published ${m.slot('date', day(m))}</p>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<p>The report was generated at ${m.slot('date', `${day(m)} ${clock(m)}`)}</p>`,
    `<p>Office hours: ${m.slot('hours', `${clock(m)} to ${clock(m)}`)}. Telephone ${m.slot('phone', phone(m))}</p>`,
    `<p class="address">${m.slot('lookalike', `${place(m)}, town hall, room nine`)}</p>`,
    `<div><select name="office"><option>${m.slot('option', 'registry of births')}</option></select></div>`,
  );
}

export function manual(m: PageMaker): string {
  return layout(
    m,
    `How to use the ${thing(m)}`,
    `<p>Version ${m.slot('version', `${m.number(1, 9)}.${m.number(1, 20)}.${m.number(1, 9)}`)}</p>`,
    `<pre><code>${m.slot('code', `install --jobs ${m.number(2, 9)}`)}</code></pre>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<div><a class="download" href="${m.slot('link', `/get/${slug(m)}`)}">${m.slot('lookalike', 'Download the tool')}</a></div>`,
    `<p>The build was generated in ${m.slot('duration', `${m.number(2, 9)} minutes`)}.</p>`,
  );
}
