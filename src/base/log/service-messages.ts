/*
 * Makes untrusted text safe for the CI systems that have no dialect in src/ci-step/hosts. The messages that they read in a build's output:
 * - TeamCity: `##teamcity[name …]` anywhere in a line, which sets parameters and publishes files (its help, "Service
 *   Messages"). MyGet (`##myget[…]`) and Continua CI (`@@continua[…]`, its help, "Custom Log Messages") have the form too.
 * - Travis CI: `travis_fold:` and `travis_time:`, which hide lines of the page.
 * - AppVeyor: nothing. Its builds call an API on the machine (its documentation, "Build Worker API").
 */

import { INVISIBLE } from './invisible-text.ts';

const MESSAGE = new RegExp(`([#@])(?=${INVISIBLE}\\1(?:${INVISIBLE}[\\w.-])*${INVISIBLE}\\[)`, 'gu');
const TRAVIS = /travis_(?:fold|time)(?=:)/g;

/** A line in which nothing is a message to a CI system. */
export function withoutServiceMessages(line: string): string {
  return line.replace(MESSAGE, '$1 ').replace(TRAVIS, '$& ');
}
