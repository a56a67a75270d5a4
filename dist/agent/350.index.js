export const id = 350;
export const ids = [350];
export const modules = {

/***/ 3350:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   clusterProxy: () => (/* binding */ clusterProxy)
/* harmony export */ });
/* harmony import */ var _network_proxy_variable_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2263);

const CONNECT_MS = 10_000;
function clusterProxy({ environment, caCertificate, onSecret }) {
    return async (server, named) => {
        if (named === undefined ? (0,_network_proxy_variable_js__WEBPACK_IMPORTED_MODULE_0__/* .proxyVariable */ .r)(server, environment) === undefined : /^socks/i.test(named))
            return undefined;
        const { fixedProxy, routeTo } = await __webpack_require__.e(/* import() */ 556).then(__webpack_require__.bind(__webpack_require__, 3556));
        const proxy = named === undefined ? routeTo(server, environment).proxy : fixedProxy("the kubeconfig's proxy-url", named);
        if (proxy === undefined)
            return undefined;
        for (const secret of proxy.secrets)
            onSecret?.(secret);
        const trust = proxy.address.startsWith('https:') ? await trustOf(environment, caCertificate) : undefined;
        const { tunnelAgent } = await __webpack_require__.e(/* import() */ 962).then(__webpack_require__.bind(__webpack_require__, 5962));
        return {
            address: proxy.address,
            variable: proxy.variable,
            agent: () => tunnelAgent({ proxy, service: server, timeoutMs: CONNECT_MS, ...(trust && { trust }) }),
        };
    };
}
async function trustOf(environment, caCertificate) {
    const { contextOf, trusted } = await __webpack_require__.e(/* import() */ 539).then(__webpack_require__.bind(__webpack_require__, 4539));
    const { platform } = process;
    const { certificates } = trusted({
        environment,
        platform,
        ...(caCertificate === undefined ? {} : { caCertificate }),
    });
    return contextOf(certificates);
}


/***/ }),

/***/ 2263:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   r: () => (/* binding */ proxyVariable),
/* harmony export */   v: () => (/* binding */ firstSet)
/* harmony export */ });
function proxyVariable(url, environment) {
    return firstSet(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
}
function firstSet(environment, name) {
    for (const each of [name, name.toLowerCase()]) {
        const text = environment[each]?.trim();
        if (text)
            return { name: each, text };
    }
    return undefined;
}


/***/ })

};
