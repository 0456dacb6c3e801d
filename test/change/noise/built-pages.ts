/**
 * Pages as the builds of frameworks write them, with names, hashes and state of one build and one response. `[[a||b]]`
 * differs between two builds of which another page was changed, or between two responses. The shapes follow real
 * builds, without their code.
 */
export interface BuiltPage {
  readonly tool: string;
  readonly head: string;
  /** `CONTENT` is the place of the content. */
  readonly body: string;
}

/** What a reader sees of each page. */
export const CONTENT = `<h1>Lamp</h1><p class="price">Price: $25.00</p><a href="/lamps">All lamps</a>
  <img src="/media/lamp.png" alt="A lamp">
  <script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":"25.00"}}</script>`;

export const BUILT_PAGES: readonly BuiltPage[] = [
  {
    tool: 'Next.js',
    head: `<link rel="stylesheet" href="/_next/static/chunks/[[2czug_4agef-8||0otb_4k5lol9k]].css" data-precedence="next">
      <link rel="preload" as="script" href="/_next/static/chunks/[[0wfurka9errm3||1egr3drbz0l3q]].js">
      <script src="/_next/static/chunks/turbopack-[[2u1d16houkiyo||39_j1bdzreq0m]].js" async></script>`,
    body: `<div hidden><!--$--><!--/$--></div><nav class="[[QlGDMa||XvBnRt]]_root"><button aria-controls="_R_jb_">Menu</button></nav>
      <main data-request="[[0f2c5b1e-7c1d-4a53-9c8e-2b1d8f0a7e64||a81d3c47-55e0-4c0e-8a3f-9d6b2e7f1c05]]">CONTENT</main>
      <script>self.__next_f.push([1,"0:{\\"b\\":\\"[[PMLr2rLmiGguXgFpVENub||IshLkZshQ3rIxq6DwTzuM]]\\",\\"c\\":[\\"[[a||b]]\\"]}"])</script>`,
  },
  {
    tool: 'Nuxt',
    head: `<script type="importmap">{"imports":{"#entry":"/_nuxt/[[xhfPqfu||NoaIGghd]].js"}}</script>
      <style>nav[data-v-[[be17d7a7||735fb40e]]]{color:[[red||pink]]}</style>
      <link rel="prefetch" as="script" href="/_nuxt/[[DgteJeI||DkRzJh]].js">`,
    body: `<div id="__nuxt"><main data-v-[[be17d7a7||735fb40e]]>CONTENT</main><label for="v-0-[[ab||cd]]">Name</label>
      <input id="v-0-[[ab||cd]]" name="q"></div>
      <script>window.__NUXT__.config={app:{buildId:"[[76c99872-95cd-4395-a5db-6ea27cf442cc||dev]]"}}</script>
      <script type="application/json" id="__NUXT_DATA__">{"$stoken":"[[abc||def]]"}</script>`,
  },
  {
    tool: 'SvelteKit',
    head: `<link href="./_app/immutable/entry/start.[[BlXBlXn||DKuRzJh]].js" rel="modulepreload">
      <link href="./_app/immutable/assets/[[0.CQrUpYfB||0.Kh1j3-ze]].css" rel="stylesheet">`,
    body: `<!--[--><!--[[1uha8ag||12qhfyh]]--><nav id="s[[1||2]]" class="svelte-[[qhfyh||uhaag]]"><a href="#s[[1||2]]">Top</a></nav><main>CONTENT</main><!--]-->
      <script>{__sveltekit_[[18hwpow||urr6yh]]={version:"[[1795122816247||1795122825585]]"};kit.start(app,{at:[[1795122823665||1795122830842]]})}</script>`,
  },
  {
    tool: 'Astro',
    head: '<style>nav[data-astro-cid-[[objqt||lcdefpme]]]{color:[[red||pink]]}</style>',
    body: `<astro-island uid="[[ZkUqab||QdEfgh]]" prefix="s[[0||1]]" component-url="/_astro/Buy.[[CmZaqQab||BxTrWopq]].js"
      props="{&quot;at&quot;:[0,[[1||2]]]}" ssr client="load"><main data-astro-cid-[[objqt||lcdefpme]]>CONTENT</main></astro-island>`,
  },
  {
    tool: 'Angular',
    head: `<link rel="stylesheet" href="styles-[[ABCDEFGH||QRSTUVWX]].css" media="print" onload="this.media='all'">`,
    body: `<app-root _nghost-ng-c[[1234||4321]] ng-version="[[20.1.0||20.1.1]]" ng-server-context="ssr">
      <main _ngcontent-ng-c[[1234||4321]]>CONTENT</main></app-root>
      <script id="ng-state" type="application/json">{"[[81||92]]":{"b":{"items":[[3||4]]}},"__nghData__":[{}]}</script>
      <script src="main-[[ABCDEFGH||QRSTUVWX]].js" type="module"></script>`,
  },
  {
    tool: 'Gatsby, with styled components',
    head: `<style data-styled="" data-styled-version="[[6.1.0||6.1.1]]">.[[bdVaJa||hKMtZM]]{color:red}</style>
      <link as="script" rel="preload" href="/app-[[fedcba||abcdef]].js">`,
    body: `<div id="___gatsby"><main class="sc-[[bdVaJa||hKMtZM]] [[cTsUPQ||eLRuxI]]">CONTENT</main></div>
      <script id="gatsby-script-loader">window.pagePath="/";window.___webpackCompilationHash="[[aaaabbbbccccdddd||ddddccccbbbbaaaa]]";</script>
      <script src="/app-[[fedcba||abcdef]].js" integrity="sha384-[[AbCd||EfGh]]" async></script>`,
  },
  {
    tool: 'a server with widgets',
    head: `<meta name="csrf-token" content="[[kJhgfdsaQwer||PoIuYtReWqAs]]"><meta name="generator" content="CMS [[6.4||6.5]]">
      <meta property="og:updated_time" content="2026-01-0[[1||2]]"><meta name="robots" content="[[index, follow||follow,index]]">`,
    body: `<main>CONTENT</main><iframe id="yt-[[qwxzv||plmok]]" name="f[[abcd||efgh]]" src="https://www.youtube.com/embed/x" title="Film"></iframe>
      <a href="#[[modal-qwxzv||modal-plmok]]">Open</a>
      <a href="/login?from=%2Flamp&amp;ts=[[1795122823||1795133830]]&amp;utm_content=[[a||b]]">Log in</a>
      <p>Updated <time datetime="2026-01-01T10:00:00Z">[[3 hours ago||5 hours ago]]</time></p><p>[[1,204||1,311]] views</p>
      <div class="ad-slot" id="[[ad-one||ad-two]]"></div><svg><use href="#[[i-abc||i-xyz]]"></use></svg>`,
  },
];
