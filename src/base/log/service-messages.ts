/*
 * Makes untrusted text safe for the CI systems that have no dialect in src/ci-step/hosts. The messages that they read in a build's output:
 * - TeamCity: `##teamcity[name …]` anywhere in a line, which sets parameters and publishes files (its help, "Service
 *   Messages"). MyGet (`##myget[…]`) and Continua CI (`@@continua[…]`, its help, "Custom Log Messages") have the form too.
 * - Travis CI: `travis_fold:` and `travis_time:`, which hide lines of the page.
 * - AppVeyor: nothing. Its builds call an API on the machine (its documentation, "Build Worker API").
 */

/** A colour's escape sequence, as the source of a regular expression. */
export const COLOUR = String.raw`\u001b\[[0-9;:]*m`;

/**
 * Characters that ICU ignores in a culture-sensitive comparison, as part of a class: of the marks and
 * modifiers it ignores about half.
 */
export const IGNORABLE = String.raw`\p{Cc}\p{Cf}\p{M}\p{Lm}\p{Default_Ignorable_Code_Point}\u180a\u1cd3\ufe73`;

/**
 * Text that ICU or a reader does not see: whole colour sequences, and ignorable characters except a
 * lone escape.
 */
export const INVISIBLE = String.raw`(?:${COLOUR}|(?!\u001b)[${IGNORABLE}])*`;

const MESSAGE = new RegExp(`([#@])(?=${INVISIBLE}\\1(?:${INVISIBLE}[\\w.-])*${INVISIBLE}\\[)`, 'gu');
const TRAVIS = /travis_(?:fold|time)(?=:)/g;

/** A line in which nothing is a message to a CI system. */
export function withoutServiceMessages(line: string): string {
  return line.replace(MESSAGE, '$1 ').replace(TRAVIS, '$& ');
}
