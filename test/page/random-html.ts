/** Malformed documents from a seed: pieces that confuse tokenizers, joined at random. */

export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const LINKING = [
  '<a href=@>',
  '<A HREF="@">text</A>',
  "<a\nhref\n=\n'@'\n>",
  '<a href="@"title=x>',
  '<a/href="@"/>',
  '<a href=@ href=other>',
  '<a x=">" href=@>',
  "<a x='>' href=@>",
  '<a x=">"href=\'@\'>',
  '<a =x href=@>',
  '<a "quote" href=@>',
  '<a href="@&amp;a=1&copy=2&lt;x">',
  '<a href= @ >',
  '<a href=@/>',
  '<a href="\t@\n">',
  '<a title="<b>" href=@><b>bold</b>',
  '<a/ /href=@>',
  '<area href=@>',
  '<img src="@" alt="a > b">',
  '<img/src=@/>',
  '<iframe src=@></iframe>',
  '<iframe src=@><a href=inside></iframe>',
  '<script src=@></script>',
  '<link rel=stylesheet href=@>',
  '<embed src=@>',
  '<video src=@></video>',
  '<source src=@>',
  '<object data=@></object>',
  '<input type=image src=@>',
  '<image src=@>',
  '<noscript><img src=@></noscript>',
  '<a href=@\0>',
  '<a href=@ <b>',
  '<a <a href=@>',
];

const TRIPPING = [
  '<!-- comment -->',
  '<!-- <a href=c> -->',
  '<!-->',
  '<!--->',
  '<!--x--!>',
  '<!--!>-->',
  '<!---!>-->',
  '<!-- -- > -->',
  '<!-- <!-- -->',
  '<!x>',
  '<! a href=z>',
  '<?php echo "<a href=p>" ?>',
  '</ a href=q>',
  '</>',
  '</1>',
  '</p x=">">',
  '<![CDATA[ <a href=cd> ]]>',
  '<!DOCTYPE html PUBLIC "a>b">',
  '<',
  '<<',
  '< a href=no>',
  '<1a href=no>',
  '&lt;a href=no&gt;',
  '<script>var a = "<a href=s>";</script>',
  '<script><!-- <script> </script> <a href=s> --></script>',
  '<script><!-- </script>',
  '<script><!--><script></script>',
  '<SCRIPT>x</ScRiPt >',
  '<script>a<b</scripty></script/>',
  '<style>a>b{content:"<a href=s>"}</style>',
  '<textarea><a href=t></textarea>',
  '<title><a href=t></title>',
  '<xmp><a href=x></xmp>',
  '<noembed><a href=x></noembed>',
  '<noframes><a href=x></noframes>',
  '<div class="x > y">',
  '</div>',
  '<p>',
  '</p>',
  '<b><i></b></i>',
  '<table><tr><td>',
  '</table>',
  '<ul><li>',
  '<br/>',
  '<h1>head',
  '<h2>two</h2>',
  '<form>',
  '</a>',
  '</body>',
  '</html>',
  '<body class=x>',
  '<html lang=en>',
  '<head>',
  '</head>',
  '<svg><path d="M0"/></svg>',
  '<svg><title>t</title><style>a<b</style></svg>',
  '<svg><![CDATA[ > <!-- ]]></svg>',
  '<svg><foreignObject><style><!--</style></foreignObject></svg>',
  '<svg><desc><p>x</p></desc><a href=@>x</a></svg>',
  '<math><mi><b>x</b></mi><mo>&lt;</mo></math>',
  '<svg/>',
  '<svg><script>1</script></svg>',
  '<svg><p>',
  'text & more &amp; text &nbsp; &#x41;',
  '\0',
  '\r\n',
  '"',
  "'",
  '>',
  '=',
  '日本語 é',
];

/** svg and math that are left open, closed by other tags, or nested in the wrong order. */
export const BROKEN_FOREIGN = [
  '<svg>',
  '</svg>',
  '<math>',
  '</math>',
  '<svg><g>',
  '<svg><style>',
  '</style>',
  '<svg><title>',
  '</title>',
  '<foreignObject>',
  '</foreignObject>',
  '<section>',
  '</section>',
  '<font color=red>',
  '<math><annotation-xml encoding="text/html">',
  '<svg><textarea>',
  '<![CDATA[x',
];

/** Endings that swallow everything after them, so each can only be the last piece. */
const SWALLOWING = [
  '',
  '',
  '',
  '<a href=@',
  '<a href="@',
  '<!-- ',
  '<script>',
  '<plaintext><a href=@>',
  '<title>',
  '</a',
  '<a',
];

/** Every `@` becomes a unique URL, so that another link cannot hide a lost link. */
export function randomHtml(random: () => number, more: readonly string[] = []): string {
  const tripping = [...TRIPPING, ...more];
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  let html = random() < 0.5 ? '<!doctype html><html><head><title>t</title></head><body>' : '';
  const pieces = 1 + Math.floor(random() * 12);
  for (let piece = 0; piece < pieces; piece++) html += random() < 0.45 ? pick(LINKING) : pick(tripping);
  html += pick(SWALLOWING);
  let count = 0;
  return html.replace(/@/g, () => `u${count++}`);
}
