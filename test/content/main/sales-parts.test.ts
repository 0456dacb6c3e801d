import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainOf, sentences, wrap } from './sample-pages.ts';

const PRODUCT = '<meta property="og:type" content="product">';

/** The page of a chair with something below its description, or with something else for its head. */
function chair(below: string, head = PRODUCT): string {
  return wrap(
    `<div class="x1"><h1>Red chair</h1><div>${sentences('chair')} ${sentences('oak')}</div>${below}</div>`,
    head,
  );
}

const about = `Red chair\n${sentences('chair')} ${sentences('oak')}`;

test('a product loses the parts below headings about other products, delivery and payment, in several languages', () => {
  for (const heading of ['You may also like', 'Das könnte dir gefallen', 'Livraison et retours', 'Оплата и доставка']) {
    const part = `<div class="x2"><div><h3>${heading}</h3></div><div><p>${sentences('table')}</p></div></div>`;
    assert.equal(mainOf(chair(part)).text, about, heading);
  }
  const flat = `<h2>Material</h2><p>${sentences('wood')}</p><h2>Shipping</h2><p>${sentences('truck')}</p><p>${sentences('ship')}</p><h2>Care</h2><p>${sentences('soap')}</p>`;
  const { text } = mainOf(chair(flat));
  assert.equal(text, `${about}\nMaterial\n${sentences('wood')}\nCare\n${sentences('soap')}`);
});

test('a product loses lines about buying, and keeps them beside its price, in its reviews and as its properties', () => {
  const lines =
    '<p>Free delivery on all orders</p><p>Pay with PayPal or in instalments, and get a refund for returns.</p>';
  assert.equal(mainOf(chair(lines)).text, about);
  const kept = [
    '<div class="price"><b>19 euros</b><p>plus shipping</p></div>',
    '<div class="reviews"><p>Fast delivery, nice chair</p></div>',
    '<table><tr><th>Delivery</th><td>in parts</td></tr></table>',
  ];
  const { text } = mainOf(chair(kept.join('')));
  for (const each of ['plus shipping', 'Fast delivery, nice chair', 'Delivery in parts'])
    assert.ok(text.includes(each), each);
});

test('the part that a tab about delivery opens is no content, and a hidden panel about the product is', () => {
  const tabs = `<ul><li><a href="#one">Description</a></li><li><a href="#two">Shipping &amp; returns</a></li></ul>
    <div id="one" class="tab-x" style="display: none"><p>${sentences('cushion')}</p></div><div id="two"><p>${sentences('truck')}</p></div>`;
  const { text } = mainOf(chair(tabs));
  assert.ok(text.includes(sentences('cushion')) && !text.includes(sentences('truck')), text);
});

test('a product loses windows, buttons and forms, and keeps a window with its details', () => {
  const parts = `<div class="modal fade"><p>${sentences('voucher')}</p></div><div class="details-modal"><p>${sentences('leg')}</p></div>
    <div class="btn-big">Choose a colour</div>
    <form><div>Your question about it</div><input name="mail"><textarea></textarea></form>`;
  assert.equal(mainOf(chair(parts)).text, `${about}\n${sentences('leg')}`);
});

test('a page with a price and one button of a cart is a product, and a page with many is not', () => {
  const offer = (button: string): string =>
    `<div class="price">19 euros</div><form><button class="big">${button}</button></form>`;
  assert.equal(mainOf(chair(offer('Add to cart'), '')).kind, 'product');
  assert.equal(mainOf(chair(offer('In den Warenkorb'), '')).kind, 'product');
  assert.notEqual(mainOf(chair(offer('Add to cart').repeat(4), '')).kind, 'product');
  assert.notEqual(mainOf(chair(offer('Add a comment'), '')).kind, 'product');
});

test('an old page without a title heading is a product if the names of the page say so', () => {
  const page = `<html><body class="books product-detail"><h2>Old book</h2><p>${sentences('book')}</p></body></html>`;
  assert.equal(mainOf(page).kind, 'product');
});

test('the description that structured data states is content, whatever the panel around it is called', () => {
  const description = `${sentences('cushion')} ${sentences('fabric')}`;
  const panel = `<aside class="related-drawer"><p>${description}</p></aside>`;
  const data = JSON.stringify({ '@graph': [{ '@type': 'Product', description: `<p>Soft.</p>${description}` }] });
  assert.ok(!mainOf(chair(panel)).text.includes(description));
  const { text } = mainOf(chair(panel, `${PRODUCT}<script type="application/ld+json">${data}</script>`));
  assert.equal(text, `${about}\n${description}`);
});

test('the letters in the numbers that a program gives to elements are no words', () => {
  const { text } = mainOf(chair(`<div id="s-4fa61cd5-c870-4ad4-9d1a"><p>${sentences('leg')}</p></div>`));
  assert.equal(text, `${about}\n${sentences('leg')}`);
});
