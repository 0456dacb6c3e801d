/** `orbweaver explain <url>`: shows the state of a URL and the reason. Every URL that was not fetched has a reason. */
import { noiseOf } from '../../copy/page-noise.ts';
import { templateOf } from '../../copy/page-template.ts';
import { noiseSentences } from '../../copy/sentences/noise-sentences.ts';
import { sentences, templateSentences } from '../../copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../../copy/url-facts.ts';
import { toExplanation } from '../../library/explanation.ts';
import { COMMON_FLAGS, type Command, parseArguments, requireOneUrl, switchFlag } from '../arguments.ts';
import { PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';

export const command: Command = {
  help: {
    usage: 'orbweaver explain <url> [flags]',
    about: `Shows everything that the crawl knows about one URL: its state and the reason, how it was found, where it redirects,
whether and when it is tried again, what robots.txt says, and where it is in the archive. For an unknown URL it shows the
rule that would exclude the URL.`,
    examples: ['orbweaver explain https://example.com/lost', 'orbweaver explain https://example.com/ --json'],
    flags: { ...PLACE_FLAGS, ...COMMON_FLAGS },
  },

  async run(words) {
    const args = parseArguments('explain', words, command.help.flags);
    const text = requireOneUrl('explain', args.words);
    return withCrawl(args, async (store, { again, place }) => {
      const story = await collectUrlFacts(store, text);
      const template = await templateOf(store, place, story);
      const noise = await noiseOf(store, place, story);
      if (switchFlag(args, 'json')) printJson(toExplanation(story, template, noise));
      else
        printLines([...sentences(story, again, Date.now()), ...templateSentences(template), ...noiseSentences(noise)]);
    });
  },
};
