import { resolveOptions } from '../../src/core/options.ts';
import type { FocusRules } from '../../src/frontier/topic/branch.ts';

const { topicThreshold, topicSteps } = resolveOptions([]);

/** As a crawl has it if nothing else is asked for; found by trying on webs of other seeds (docs/topic.md). */
export const DEFAULT_FOCUS: FocusRules = { threshold: topicThreshold, maxStepsOff: topicSteps };
