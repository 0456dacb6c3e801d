/**
 * Hosts that serve only advertisements. The host itself and all its subdomains count. A company whose own site people
 * read and link to is listed with its ad-serving hosts only.
 */

export const AD_HOSTS = hostSet(`
  1rx.io 2mdn.net 33across.com 360yield.com 3lift.com a-ads.com a.exoclick.com acdn.adcash.com ad-delivery.net
  ad-score.com ad-stir.com ad.adriver.ru ad.gt ad.mail.ru ad6media.fr adap.tv adaptv.advertising.com adbrite.com
  adform.net adformdsp.net adfox.ru adfox.yandex.ru adgear.com adgrx.com adhese.net adhigh.net adhitz.com adingo.jp
  adition.com adkernel.com adlightning.com adloox.com adlooxtracking.com admanmedia.com admedia.com adnet.de
  adnium.com adnxs-simple.com adnxs.com adocean.pl adport.io ads-twitter.com ads.adtelligent.com ads.adthrive.com
  ads.celtra.com ads.exoclick.com ads.gumgum.com ads.loopme.com ads.mopub.com ads.rmbl.ws ads.samba.tv
  ads.triplelift.com ads.undertone.com ads.vibrantmedia.com ads.vungle.com ads.yahoo.com ads.yap.yahoo.com
  ads.yieldmo.com adsafeprotected.com adscale.de adsdk.microsoft.com adserver.juicyads.com adserver.yahoo.com
  adserverplus.com adservice.google.com adskeeper.com adsmogo.com adsnative.com adspirit.de adspyglass.com adsrvr.org
  adsterranet.com adsymptotic.com adsystem.amazon.com adtech.de adtechus.com adtrafficquality.google adultadworld.com
  adup-tech.com adxpansion.com adzerk.net afy11.net agkn.com aidata.io alb.reddit.com allyes.com amazon-adsystem.com
  an.yandex.ru anrdoezrs.net api.content.ad api.taboola.com api.viglink.com apmebf.com applvn.com atdmt.com
  awaps.yandex.net awin1.com basebanner.com bat.bing.com begun.ru betweendigital.com bidder.criteo.com bidr.io
  bidswitch.net bidvertiser.com bluekai.com btlr.sharethrough.com burstnet.com buysellads.net c.bannerflow.net
  c1.popads.net c2.popads.net carbonads.net casalemedia.com casalemedia.net cbjs.baidu.com cdn.adpushup.com
  cdn.adswizz.com cdn.carbonads.com cdn.doubleverify.com cdn.engageya.com cdn.flashtalking.com cdn.innovid.com
  cdn.playwire.com cdn.popcash.net cdn.revcontent.com cdn.taboola.com cdn.undertone.com cdn.viglink.com
  cdn.zergnet.com cds.connatix.com chitika.net coinzillatag.com config.inmobi.com config.playwire.com
  content.adriver.ru contextual.media.net contextweb.com cpro.baidu.com crwdcntrl.net d.adroll.com d.applovin.com
  da.chartboost.com demdex.net deployads.com directadvert.ru dis.criteo.com districtm.ca districtm.io dotomi.com
  doubleclick.net dpbolvw.net dwin1.com emjcdn.com emxdgt.com ero-advertising.com exdynsrv.com exelator.com
  exosrv.com eyeblaster.com eyeota.net eyereturn.com ezodn.com ezoic.net ezojs.com fastclick.net fluct.jp fout.jp
  freestar.io freewheel.tv ftjcfx.com fundingchoicesmessages.google.com fuseplatform.net fwmrm.net g2.gumgum.com
  gdt.qq.com gemini.yahoo.com genieesspv.jp googleadservices.com googlesyndication.com googletagservices.com
  gsspat.jp hb.vntsm.io highperformanceformat.com hilltopads.net i-mobile.co.jp i.simpli.fi id5-sync.com
  images.outbrain.com images.taboola.com imasdk.googleapis.com indexww.com intellitxt.com intergient.com ipinyou.com
  jdoqocy.com jivox.com js.gumgum.com jsc.mgid.com kontera.com kqzyfj.com krxd.net l.qq.com labs-cdn.revcontent.com
  lduhtrp.net liadm.com lijit.com linksynergy.com live.chartboost.com log.outbrain.com logly.co.jp loopme.me luxup.ru
  main.exoclick.com marketgid.com match.sharethrough.com mathtag.com mediaplex.com mediav.com miaozhen.com
  microad.net moatads.com ms.applovin.com msads.net native.sharethrough.com nend.net nitropay.com odb.outbrain.com
  onclickads.net onclkds.com onetag-sys.com openx.net openxcdn.net outbrainimg.com player.aniview.com plugrush.com
  pointroll.com poptm.com popup.taboola.com pos.baidu.com postrelease.com presage.io propellerclick.com pub.network
  publir.com pubmatic.com qksrv.net realsrv.com redditads.com redirectingat.com resources.infolinks.com
  revive-adserver.net rfihub.com rfihub.net rlcdn.com router.infolinks.com rs.mail.ru rt.applovin.com
  rtb.adxpremium.services rtb.infolinks.com rubiconproject.com rundsp.com s.adroll.com sascdn.com sc-static.net
  scripts.mediavine.com sdk.inmobi.com securedelivery-tls.com sekindo.com serve.popads.net servedby-buysellads.com
  servedby.flashtalking.com servedbyadbutler.com servenobid.com server.ethicalads.io servicer.mgid.com
  serving-sys.com setupad.net shareasale-analytics.com sitescout.com skimresources.com smaato.net smartadserver.com
  snigelweb.com spotxchange.com springserve.com srv.stackadapt.com sslwidget.criteo.com startappservice.com
  static.criteo.net static.dianomi.com static.plista.com static.yieldmo.com steepto.com stickyadstv.com stpd.cloud
  syndication.exoclick.com taboolasyndication.com tanx.com teads.tv themoneytizer.com tidaltv.com tkqlhce.com
  top-fwz1.mail.ru tps.doubleverify.com tqlkg.com tradedoubler.com trafficfactory.biz traffichaus.com
  trafficjunky.net trafficstars.com trc.taboola.com tremorhub.com trends.revcontent.com tribalfusion.com
  tsyndicate.com tubemogul.com tynt.com um.simpli.fi undertonenetworks.com unityads.unity3d.com unrulymedia.com
  valueclickmedia.com venatusmedia.com vertamedia.com videohub.tv viralize.tv vntsm.com w55c.net web.adblade.com
  widget.engageya.com widgets.outbrain.com widgets.revcontent.com yabs.yandex.ru yads.yahoo.co.jp
  yads.yjtag.yahoo.co.jp yceml.net yieldlab.net yieldlove-ad-serving.net yieldlove.com zanox-affiliate.de zedo.com
  zemanta.com zorosrv.com
`);

/** Hosts that count visitors, run A/B tests or monitor errors. Nothing from these hosts is shown to a reader. */
export const ANALYTICS_HOSTS = hostSet(`
  2o7.net a.plausible.io adobedc.net akstat.io analytics.tiktok.com analytics.twitter.com api.amplitude.com
  api.mixpanel.com api.segment.io assets.adobedtm.com ati-host.net bat.bing.com browser-intake-datadoghq.com
  browser.sentry-cdn.com c.cnzz.com c.statcounter.com cdn.amplitude.com cdn.branch.io cdn.counter.dev
  cdn.dynamicyield.com cdn.inspectlet.com cdn.kameleoon.com cdn.lr-ingest.io cdn.matomo.cloud cdn.mouseflow.com
  cdn.mxpnl.com cdn.optimizely.com cdn.parsely.com cdn.segment.com cdn.speedcurve.com cdn.usefathom.com clarity.ms
  cloudflareinsights.com code.etracker.com collect.tealiumiq.com connect.facebook.net counter.yadro.ru
  ct.pinterest.com d1l6p2sc9645hc.cloudfront.net data.gosquared.com datadoghq-browser-agent.com
  dev.visualwebsiteoptimizer.com econda-monitor.de edge.fullstory.com ensighten.com eulerian.net everesttech.net
  extreme-dm.com gc.zgo.at go-mpulse.net google-analytics.com googletagmanager.com heapanalytics.com hitslink.com
  hm.baidu.com hotjar.io i.kissmetrics.com imrworldwide.com in.getclicky.com ingest.sentry.io insights.hotjar.com
  ioam.de iocnt.net js-agent.newrelic.com js.hs-analytics.net js.hs-banner.com js.hscollectedforms.net logrocket.io
  logs.hexagon-analytics.com logx.optimizely.com lux.speedcurve.com mc.yandex.com mc.yandex.ru munchkin.marketo.net
  nr-data.net o2.mouseflow.com omtrdc.net p1.parsely.com pi.pardot.com ping.chartbeat.net pixel.facebook.com
  pixel.wp.com px.ads.linkedin.com quantcount.com quantserve.com rec.smartlook.com rs.fullstory.com
  rum-collector-2.pingdom.net rum-static.pingdom.net s.cnzz.com s10.histats.com scorecardresearch.com
  script.crazyegg.com script.hotjar.com scripts.kissmetrics.com sdk.51.la secure.statcounter.com shinystat.com
  simpleanalyticscdn.com snap.licdn.com sstatic1.histats.com st.dynamicyield.com static.chartbeat.com
  static.etracker.com static.getclicky.com static.hotjar.com static.woopra.com stats.g.doubleclick.net
  stats.plausible.io stats.wp.com tag.aticdn.net tags.tiqcdn.com tns-counter.ru tools.luckyorange.com top.mail.ru
  tr.snapchat.com track.hubspot.com try.abtasty.com web-sdk.smartlook.com web.umeng.com webtrekk.net wt-safetag.com
  xiti.com
`);

/** Builds lists of hosts, and checks whether a URL as written in a page leads to one of them. */
function hostSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** A name with more labels than this is not in the lists. */
const MAX_LABELS = 8;

/** The host of an absolute or protocol-relative URL in lower case, or '' for a relative URL. */
export function hostIn(url: string): string {
  // Most links of a page stay on its own host.
  const first = url.charCodeAt(0);
  if (first === 0x23 || (first === 0x2f && url.charCodeAt(1) !== 0x2f)) return '';
  const start = url.startsWith('//') ? 2 : /^\s*https?:\/\//i.exec(url)?.[0].length;
  if (start === undefined) return '';
  let end = start;
  for (; end < url.length && end - start < 255; end++) {
    const code = url.charCodeAt(end);
    // / ? # : and \, which browsers treat as a slash
    if (code === 0x2f || code === 0x3f || code === 0x23 || code === 0x3a || code === 0x5c) break;
  }
  const host = url.slice(start, end).toLowerCase();
  return host.slice(host.lastIndexOf('@') + 1);
}

/** Whether the list contains the host itself or a parent domain. */
export function isHostIn(hosts: ReadonlySet<string>, host: string): boolean {
  let rest = host;
  for (let labels = 0; labels < MAX_LABELS && rest !== ''; labels++) {
    if (hosts.has(rest)) return true;
    const dot = rest.indexOf('.');
    if (dot === -1) return false;
    rest = rest.slice(dot + 1);
  }
  return false;
}
