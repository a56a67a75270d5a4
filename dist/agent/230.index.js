export const id = 230;
export const ids = [230];
export const modules = {

/***/ 2230:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   tunnel: () => (/* binding */ tunnel)
/* harmony export */ });
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7030);
/* harmony import */ var undici_lib_api_api_connect_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2279);
/* harmony import */ var undici_lib_core_connect_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9136);
/* harmony import */ var undici_lib_dispatcher_pool_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(628);
/* harmony import */ var undici_lib_dispatcher_proxy_agent_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6672);
/* harmony import */ var _failure_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(4816);






function tunnel(proxy, tls) {
    return new undici_lib_dispatcher_proxy_agent_js__WEBPACK_IMPORTED_MODULE_4__({
        uri: proxy.address,
        ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
        connectTimeout: tls.timeout,
        allowH2: tls.allowH2,
        proxyTls: tls,
        requestTls: tls,
        clientFactory: (origin) => toProxy(origin, tls),
    });
}
function toProxy(origin, tls) {
    const connect = undici_lib_core_connect_js__WEBPACK_IMPORTED_MODULE_2__(tls);
    const pool = new undici_lib_dispatcher_pool_js__WEBPACK_IMPORTED_MODULE_3__(origin, {
        headersTimeout: tls.timeout,
        connect: (options, callback) => connect((0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIP)(options.hostname) === 0 ? options : { ...options, servername: '' }, (...[error, socket]) => {
            if (error === null)
                callback(null, socket);
            else
                callback(new _failure_js__WEBPACK_IMPORTED_MODULE_5__/* .ProxyConnectError */ .ZV(error.message, { cause: error }), null);
        }),
    });
    return Object.assign(pool, { connect: undici_lib_api_api_connect_js__WEBPACK_IMPORTED_MODULE_1__ });
}


/***/ })

};
