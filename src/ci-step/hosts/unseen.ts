/** A colour's escape sequence, as the source of a regular expression. */
export const COLOUR = String.raw`\u001b\[[0-9;:]*m`;

/**
 * Characters that ICU ignores in a culture-sensitive comparison, as part of a class: of the marks and
 * modifiers it ignores about half.
 */
export const IGNORED = String.raw`\p{Cc}\p{Cf}\p{M}\p{Lm}\p{Default_Ignorable_Code_Point}\u180a\u1cd3\ufe73`;

/**
 * The text that ICU or a reader does not see: whole colour sequences, and ignorable characters except
 * a lone escape.
 */
export const UNSEEN = String.raw`(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
