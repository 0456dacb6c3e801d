/** Loaded before the program: judging how `/faulty` has changed throws, as a fault of ours would. */
import { ChangeJudge } from '../../src/crawl/change-judge.ts';

const { judge } = ChangeJudge.prototype;
ChangeJudge.prototype.judge = function (outcome, url, earlier, mark) {
  if (url.endsWith('/faulty')) return Promise.reject(new TypeError('there is nothing here'));
  return judge.call(this, outcome, url, earlier, mark);
};
