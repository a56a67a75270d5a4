export const id = 779;
export const ids = [779];
export const modules = {

/***/ 7779:
/***/ ((module) => {

module.exports = eval("require")("kerberos");


/***/ })

};
