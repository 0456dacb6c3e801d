/** Pages of shops, markets and catalogues. */
import { capital, clock, day, isoDate, paragraph, person, phone, place, price, slug, thing } from './made-words.ts';
import type { PageMaker } from './page-maker.ts';
import { layout } from './site-layout.ts';

export function product(m: PageMaker): string {
  const name = capital(thing(m));
  const data = `{"@context":"https://schema.org","@type":"Product","name":"${name}","offers":{"price":"${m.slot('linkedData', String(m.number(20, 900)))}"}}`;
  return layout(
    m,
    name,
    `<script type="application/ld+json">${data}</script>`,
    `<p><img src="${m.slot('image', `/img/${slug(m)}.jpg`)}" alt="${m.slot('alt', `${name} from the side`)}"></p>`,
    `<p><img src="/img/detail.jpg?v=${m.slot('pictureVersion', String(m.number(10_000, 99_999)))}" alt=""></p>`,
    `<p class="price">${m.slot('price', price(m))}</p>`,
    `<p class="availability">${m.slot('stock', m.pick(['In stock', 'Sold out']))}</p>`,
    `<p>${m.slot('countLike', `${m.number(1, 9)},${m.number(100, 999)} in stock`)}</p>`,
    `<p><span class="count">${m.slot('countLike', String(m.number(2, 9)))}</span> left at this price</p>`,
    `<form action="/basket"><select name="size"><option>${m.slot('option', 'small and light')}</option><option>large</option></select><input type="hidden" name="variant" value="${m.slot('hiddenChoice', String(m.number(1_000, 9_999)))}"></form>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<table><tr><th>Weight</th><td>${m.slot('cell', `${m.number(1, 9)}.${m.number(1, 9)} kg`)}</td></tr><tr><th>Views of the valley</th><td>${m.slot('cell', `${m.number(2, 9)} views`)}</td></tr></table>`,
  );
}

export function productList(m: PageMaker): string {
  const items = Array.from({ length: 8 }, () =>
    m.slot('item', `<li class="card"><a href="/p/${slug(m)}">${capital(thing(m))}</a> <span>${price(m)}</span></li>`),
  );
  return layout(
    m,
    `All about the ${thing(m)}`,
    `<p>${m.slot('countLike', `${m.number(20, 99)} results`)}</p>`,
    `<ul>${items.join('')}</ul>`,
    `<div class="card"><a href="${m.slot('link', `/p/${slug(m)}`)}">${m.slot('name', 'Samir Haddad')}</a><b>${m.slot('price', price(m))}</b></div>`,
    `<div><select name="sort"><option>${m.slot('option', 'by price')}</option><option>newest</option></select></div>`,
  );
}

export function classifieds(m: PageMaker): string {
  const ads = Array.from(
    { length: 5 },
    () =>
      `<div class="ad"><a href="/ad/${m.number(1_000, 9_999)}">${m.slot('listing', capital(thing(m)))}</a> <span>${m.slot('price', price(m))}</span></div>`,
  );
  return layout(
    m,
    `Small ads in ${place(m)}`,
    ...ads,
    `<div class="ad-details"><p>${m.slot('listing', paragraph(m))}</p></div>`,
    `<div class="job-ad"><h2>${m.slot('heading', 'Carpenter wanted for the winter')}</h2></div>`,
    `<p>Call <span>${m.slot('phone', phone(m))}</span></p>`,
    `<p>${m.slot('countLike', `${m.number(100, 999)} ads online since ${m.number(2, 9)} May`)}</p>`,
  );
}

export function jobBoard(m: PageMaker): string {
  const jobs = Array.from({ length: 5 }, () =>
    m.slot('item', `<li><h3>${capital(thing(m))} engineer</h3><p>${place(m)}, ${m.number(30, 90)},000 a year</p></li>`),
  );
  return layout(
    m,
    `Jobs in ${place(m)}`,
    `<p>${m.slot('countLike', `${m.number(100, 999)} jobs`)}</p>`,
    `<ul class="job-ads">${jobs.join('')}</ul>`,
    `<p>Apply before <time datetime="${isoDate(m)}">${m.slot('date', day(m))}</time> to ${m.slot('name', person(m))}</p>`,
    `<p>${m.slot('countLike', `${m.number(2, 9)} people applied`)}</p>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
  );
}

export function restaurant(m: PageMaker): string {
  const rows = ['Monday', 'Tuesday', 'Friday'].map(
    (name) => `<tr><td>${name}</td><td>${m.slot('hours', `${clock(m)} – ${clock(m)}`)}</td></tr>`,
  );
  return layout(
    m,
    `The ${thing(m)}`,
    `<table>${rows.join('')}</table>`,
    `<address>${m.slot('lookalike', `${place(m)}, by the old mill`)} <a href="tel:1">${m.slot('phone', phone(m))}</a></address>`,
    `<ul><li>Soup of the day ${m.slot('price', price(m))}</li></ul>`,
    `<p>${m.slot('countLike', `${m.number(2, 9)} seats left`)}</p>`,
    `<p>Open today: ${m.slot('hours', `${clock(m)} to ${clock(m)}`)}</p>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
  );
}

export function library(m: PageMaker): string {
  return layout(
    m,
    `The ${thing(m)} and other stories`,
    `<dl><dt>Author</dt><dd>${m.slot('name', person(m))}</dd><dt>Copies</dt><dd>${m.slot('countLike', String(m.number(2, 30)))}</dd><dt>Last borrowed</dt><dd>${m.slot('eventAge', `${m.number(2, 9)} days ago`)}</dd></dl>`,
    `<article><p>${m.slot('paragraph', paragraph(m))}</p><footer>© ${m.slot('date', `19${m.number(50, 99)}`)} ${person(m)}</footer></article>`,
    `<p>Edition of ${m.slot('date', day(m))}, ${m.slot('countLike', `${m.number(100, 900)} pages`)}</p>`,
    `<p class="note">Copyright ${m.slot('date', `19${m.number(50, 99)}`)} by the author</p>`,
  );
}
