const SGR = String.raw`\u001b\[[0-9;:]*m`;
/** The body and terminator of a control string (ECMA-48: OSC, DCS, SOS, PM, APC). */
const STRING_BODY = String.raw`[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`;

/** Complete sequences first; a malformed one loses only its escape character, so it can't hide text. */
const CONTROL = new RegExp(
  [
    `(?<sgr>${SGR})`,
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])${STRING_BODY}`,
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b[ -/]+[0-~]`,
    String.raw`\u001b[0-OQ-WYZ\\\x60-~]`,
    String.raw`(?!\t)\p{Cc}`,
  ].join('|'),
  'gu',
);

/**
 * Makes text safe for a terminal or log: strips escape sequences, C0 and C1 controls except tabs. With `colours` it
 * keeps SGR sequences (colours and weights). Linear time.
 */
export function stripControl(text: string, { colours = false } = {}): string {
  return text.replace(CONTROL, colours ? '$<sgr>' : '');
}
