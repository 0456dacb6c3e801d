/** Pages with figures and dates: weather, quotes, events, recipes, tables, status, and applications with state. */
import { capital, clock, day, isoDate, paragraph, person, place, price, sentence, slug, thing } from './made-words.ts';
import type { PageMaker } from './page-maker.ts';
import { layout } from './site-layout.ts';

export function weather(m: PageMaker): string {
  return layout(
    m,
    `Weather in ${place(m)}`,
    `<p class="now">${m.slot('measure', `${m.number(2, 29)} °C`)}</p>`,
    `<div class="value">${m.slot('measure', String(m.number(2, 29)))}</div>`,
    `<table><tr><td>${m.slot('cell', clock(m))}</td><td>${m.slot('cell', `${m.number(1, 90)} km/h`)}</td></tr></table>`,
    `<p>${m.slot('paragraph', sentence(m))}</p>`,
    `<p>Sunset ${m.slot('hours', clock(m))}</p>`,
  );
}

export function quotes(m: PageMaker): string {
  const rows = Array.from(
    { length: 4 },
    () =>
      `<tr><td>${capital(thing(m))} AG</td><td>${m.slot('cell', `${m.number(10, 900)}.${m.number(10, 99)}`)}</td><td>${m.slot('cell', `${m.number(1, 4)}.${m.number(1, 9)} %`)}</td></tr>`,
  );
  return layout(
    m,
    'Quotes of the day',
    `<table>${rows.join('')}</table>`,
    `<p class="last">${m.slot('price', price(m))}</p>`,
    `<p>Last trade: <b>${m.slot('eventAge', `${m.number(2, 50)} minutes ago`)}</b></p>`,
    `<p>As of ${m.slot('date', `${day(m)} ${clock(m)}`)}</p>`,
  );
}

export function calendar(m: PageMaker): string {
  const events = Array.from({ length: 4 }, () =>
    m.slot(
      'item',
      `<li><time datetime="${isoDate(m)}T20:00">${day(m)}</time> ${capital(thing(m))} in ${place(m)}</li>`,
    ),
  );
  return layout(
    m,
    `Events in ${place(m)}`,
    `<ul>${events.join('')}</ul>`,
    `<p>${m.slot('countLike', `${m.number(2, 90)} seats left`)}</p>`,
    `<p>Doors open at ${m.slot('hours', clock(m))}, tickets ${m.slot('price', price(m))}</p>`,
    `<p>Begins in ${m.slot('countLike', `${m.number(2, 9)} days`)}</p>`,
    `<p><time datetime="2026-03-0${m.slot('date', String(m.number(1, 9)))}T10:00:00Z">next meeting</time></p>`,
  );
}

export function recipe(m: PageMaker): string {
  return layout(
    m,
    `${capital(thing(m))} soup`,
    `<p>Time: <time datetime="PT${m.number(10, 59)}M">${m.slot('duration', `${m.number(10, 59)} min`)}</time></p>`,
    `<ul><li>${m.slot('measure', `${m.number(100, 900)} g flour`)}</li><li>${m.slot('measure', `${m.number(2, 9)} eggs`)}</li></ul>`,
    `<p>${m.slot('paragraph', paragraph(m))}</p>`,
    `<p>Serves ${m.slot('countLike', String(m.number(2, 8)))}</p>`,
    `<p>by ${m.slot('name', person(m))}</p>`,
  );
}

export function application(m: PageMaker): string {
  const state = `{"csrfToken":"${m.drawn('script-token').base64(32)}","timestamp":${m.drawn('script-token').number(1_700_000_000, 1_799_999_999)},"product":{"name":"${thing(m)}","price":${m.slot('stateValue', String(m.number(20, 900)))},"timestamp":${m.slot('stateValue', String(m.number(1_600_000_000, 1_699_999_999)))},"views":[${m.slot('stateValue', String(m.number(2, 9)))}]}}`;
  return layout(
    m,
    capital(thing(m)),
    '<div id="root"></div>',
    `<script>window.__INITIAL_STATE__ = ${state};</script>`,
    `<script id="__NEXT_DATA__" type="application/json">{"props":{"title":"x","count":${m.slot('stateValue', String(m.number(20, 900)))}},"buildId":"${m.drawn('script-token').letters(20)}"}</script>`,
    `<script>function total() { return ${m.slot('stateValue', String(m.number(20, 900)))} * 2; }</script>`,
  );
}

export function league(m: PageMaker): string {
  const rows = Array.from(
    { length: 4 },
    () => `<tr><td>${place(m)}</td><td>${m.slot('cell', String(m.number(10, 80)))}</td></tr>`,
  );
  return layout(
    m,
    `League of ${place(m)}`,
    `<table><caption>${m.slot('heading', 'Points of the season')}</caption>${rows.join('')}</table>`,
    `<p class="score">${m.slot('countLike', `${m.number(1, 9)}:${m.number(1, 9)}`)}</p>`,
    `<p>${m.slot('countLike', `${m.number(1, 90)},${m.number(100, 999)} spectators`)}</p>`,
    `<p>${m.slot('paragraph', sentence(m))}</p>`,
    `<p><a href="${m.slot('link', `/match/${slug(m)}`)}">report</a></p>`,
  );
}

export function status(m: PageMaker): string {
  return layout(
    m,
    `Status of ${thing(m)}`,
    `<p>Last outage: <strong>${m.slot('eventAge', `${m.number(2, 50)} days ago`)}</strong></p>`,
    `<div><span class="label">Last incident</span> <span class="value">${m.slot('eventAge', `${m.number(2, 50)} hours ago`)}</span></div>`,
    `<p>Version ${m.slot('version', `${m.number(1, 9)}.${m.number(1, 20)}`)} since ${m.slot('date', day(m))}</p>`,
    `<p>Answers in ${m.slot('measure', `${m.number(10, 90)} ms`)} on the whole</p>`,
    `<p>${m.slot('countLike', `${m.number(2, 9)} of 9 servers online`)}</p>`,
    `<ul><li>${m.slot('paragraph', sentence(m))}</li></ul>`,
  );
}
