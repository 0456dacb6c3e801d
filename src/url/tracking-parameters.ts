/**
 * Query parameters that tell where a visitor came from, but never which page is meant. They are not dropped by default:
 * a name is only a hint, and a crawler must not lose pages by guessing. A `*` at the end matches any ending.
 */
export const TRACKING_PARAMETERS: readonly string[] = [
  // Google Analytics, Google Ads and related services
  'utm_* gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid _ga _gl srsltid',
  // Social networks
  'fbclid fb_action_ids fb_action_types fb_source fb_ref igshid igsh twclid ttclid li_fat_id epik rdt_cid',
  'ScCid',
  // Microsoft, Yandex, Yahoo and other advertisers
  'msclkid yclid _openstat ymclid yjr_* vmcid wickedid irclickid irgwc cjevent ranMID ranEAID ranSiteID awc',
  'zanpid tduid obOrigUrl dicbo tblci',
  // Mail and marketing suites
  'mc_cid mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsCtaTracking hsa_* vero_conv vero_id',
  'oly_anon_id oly_enc_id _ke _kx ml_subscriber ml_subscriber_hash bsft_* elqTrackId elqTrack trk_contact',
  'trk_msg trk_module trk_sid sc_cid s_cid s_kwcid ef_id',
  // Matomo, Piwik, Adobe, AT Internet
  'pk_* piwik_* mtm_* matomo_* at_campaign at_medium at_custom* WT.mc_id',
].flatMap((names) => names.split(' '));

const PREFIXES = TRACKING_PARAMETERS.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
const NAMES = new Set(TRACKING_PARAMETERS);

export function isTrackingParameter(name: string): boolean {
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}
