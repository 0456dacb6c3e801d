/** Loaded before the program. It makes the change judgement of `/faulty` throw, like a bug in the program. */
import { ChangeJudge } from '../../../src/crawl/unit/change/change-judge.ts';

const { judge } = ChangeJudge.prototype;
ChangeJudge.prototype.judge = function (outcome, url, earlier, template, mark) {
  if (url.endsWith('/faulty')) return Promise.reject(new TypeError('there is nothing here'));
  return judge.call(this, outcome, url, earlier, template, mark);
};
