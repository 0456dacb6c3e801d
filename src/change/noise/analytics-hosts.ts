/** Hosts that count visitors, test variants on them or watch for faults: nothing that comes from them is shown. */
import { hostSet } from './known-hosts.ts';

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
