export const id = 0;
export const ids = [0];
export const modules = {

/***/ 9000:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WK: () => (/* binding */ consoleLine),
/* harmony export */   fd: () => (/* binding */ uncolouredLine),
/* harmony export */   plainText: () => (/* binding */ plainText),
/* harmony export */   wv: () => (/* binding */ pageLine)
/* harmony export */ });
/* harmony import */ var _log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(58105);

const COLOUR = String.raw `\u001b\[[0-9;:]*m`;
const IGNORED = String.raw `\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}`;
const UNSEEN = String.raw `(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');
const MAX_STATES = 3;
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
function consoleLine(text) {
    return defused((0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(fewStates(text)), { colours: true }));
}
function uncolouredLine(text) {
    return defused(pageLine(fewStates(text)));
}
function pageLine(text) {
    return (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(text));
}
function plainText(text, maxLength = 500) {
    const stripped = (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
    const plain = defused(stripped.replace(/\s+/g, ' ').trim());
    return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}
function fewStates(text) {
    if (!text.includes('\r'))
        return text;
    const states = text.split('\r').filter((state) => (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(state).trim() !== '');
    if (states.length <= MAX_STATES)
        return states.join('\r');
    return [states[0], ` … ${states.length - 2} states … `, states.at(-1)].join('\r');
}
function visibleBreaks(text) {
    return text
        .replace(/\r+$/, '')
        .replaceAll('\r', '␍')
        .replace(/[\u2028\u2029]/g, '␤')
        .replace(DIRECTION, '');
}
function defused(line) {
    return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}


/***/ }),

/***/ 58105:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   k: () => (/* binding */ stripControl)
/* harmony export */ });
const SGR = String.raw `\u001b\[[0-9;:]*m`;
const STRING_BODY = String.raw `[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`;
const CONTROL = new RegExp([
    `(?<sgr>${SGR})`,
    String.raw `(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])${STRING_BODY}`,
    String.raw `(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw `\u001b[ -/]+[0-~]`,
    String.raw `\u001b[0-OQ-WYZ\\\x60-~]`,
    String.raw `(?!\t)\p{Cc}`,
].join('|'), 'gu');
function stripControl(text, { colours = false } = {}) {
    return text.replace(CONTROL, colours ? '$<sgr>' : '');
}


/***/ })

};
