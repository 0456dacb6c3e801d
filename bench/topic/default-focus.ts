import { resolveOptions } from '../../src/core/options/options.ts';
import type { FocusRules } from '../../src/frontier/topic/off-topic-trail.ts';

const { topicThreshold, topicSteps } = resolveOptions([]);

/** The default of a crawl, found by experiments on webs of other seeds (docs/topic.md). */
export const DEFAULT_FOCUS: FocusRules = { threshold: topicThreshold, maxStepsOff: topicSteps };
