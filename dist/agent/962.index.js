export const id = 962;
export const ids = [962];
export const modules = {

/***/ 4816:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $N: () => (/* binding */ refusedTunnel),
/* harmony export */   T$: () => (/* binding */ ConnectError),
/* harmony export */   ZV: () => (/* binding */ ProxyConnectError),
/* harmony export */   fb: () => (/* binding */ isUntrusted),
/* harmony export */   tE: () => (/* binding */ proxyFault),
/* harmony export */   to: () => (/* binding */ explained)
/* harmony export */ });
class ConnectError extends Error {
    name = 'ConnectError';
}
class ProxyConnectError extends Error {
    name = 'ProxyConnectError';
}
function explained(error, { url, proxy }) {
    const cause = error instanceof ProxyConnectError && error.cause instanceof Error ? error.cause : error;
    let words;
    if (proxy === undefined)
        words = certificateFault(cause, url.host, 'service_url');
    else if (error instanceof ProxyConnectError || url.protocol === 'http:')
        words = proxyFault(cause, proxy);
    else
        words = tunnelFault(cause, proxy, url) ?? certificateFault(cause, url.host, 'service_url');
    return words === undefined ? cause : new ConnectError(words, { cause: error });
}
function proxyFault(error, proxy) {
    const { address, variable } = proxy;
    if (/^Proxy Authentication Required/.test(error.message))
        return wantsPassword(proxy, '407');
    const certificate = certificateFault(error, `the proxy ${address}`, variable);
    if (certificate !== undefined)
        return certificate;
    if (BROKEN.has(error.code))
        return `the proxy ${address} broke the connection off (${reasonOf(error)}); check that ${variable} names an HTTP proxy`;
    return UNREACHED.has(error.code)
        ? `the proxy ${address} can't be reached (${reasonOf(error)}); check that it runs and that ${variable} names it`
        : undefined;
}
function tunnelFault(error, proxy, url) {
    const { address, variable } = proxy;
    if (error.code === 'UND_ERR_PRX_CONN')
        return `the proxy ${address} broke the connection to ${url.host} off; check that ${variable} names an HTTP proxy`;
    if (error.code === 'UND_ERR_HEADERS_TIMEOUT')
        return `the proxy ${address} gave no answer in time; check that it runs and that ${variable} names an HTTP proxy`;
    const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
    return status === undefined ? undefined : refusedTunnel(status, proxy, url);
}
function refusedTunnel(status, proxy, url) {
    const { address, variable, isFixed = false } = proxy;
    const instead = isFixed ? `take ${variable} away` : `add ${url.hostname} to NO_PROXY`;
    const exempt = `or ${instead} if this machine reaches it directly`;
    switch (status) {
        case '401':
        case '407':
            return wantsPassword(proxy, status);
        case '403':
            return `the proxy ${address} forbids connections to ${url.host} (HTTP 403); have it allow them, ${exempt}`;
        default:
            return `the proxy ${address} could not connect to ${url.host} (HTTP ${status}); see its log, ${exempt}`;
    }
}
function wantsPassword({ address, authorization, variable }, status) {
    return authorization === undefined
        ? `the proxy ${address} wants a user and a password (HTTP ${status}); put them into ${variable}, as in http://USER:PASSWORD@HOST:PORT`
        : `the proxy ${address} refuses the user and password in ${variable} (HTTP ${status}); correct them, their special characters written as %XX`;
}
const UNKNOWN_ISSUER = new Set([
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_UNTRUSTED',
]);
function isUntrusted({ code }) {
    return UNKNOWN_ISSUER.has(code) || code === 'DEPTH_ZERO_SELF_SIGNED_CERT' || code === 'CERT_HAS_EXPIRED';
}
function certificateFault(error, peer, named) {
    const { code } = error;
    if (UNKNOWN_ISSUER.has(code)) {
        return `the certificate of ${peer} comes from an authority that isn't trusted here (${String(code)}); set ca_certificate to the authority's certificate`;
    }
    switch (code) {
        case 'DEPTH_ZERO_SELF_SIGNED_CERT':
            return `the certificate of ${peer} is signed by itself (${code}); set ca_certificate to that certificate`;
        case 'CERT_HAS_EXPIRED':
            return `the certificate of ${peer} has expired (${code}); have it renewed, or check this machine's clock`;
        case 'CERT_NOT_YET_VALID':
            return `the certificate of ${peer} isn't valid yet (${code}); check this machine's clock`;
        case 'ERR_TLS_CERT_ALTNAME_INVALID':
            return `the certificate of ${peer} is for another name (${namesIn(error)}); correct ${named}, or the certificate`;
        case 'UND_ERR_PRX_TLS':
            return error.cause instanceof Error ? certificateFault(error.cause, peer, named) : undefined;
        case 'EPROTO':
        case 'ERR_SSL_WRONG_VERSION_NUMBER':
        case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
            return `${peer} doesn't speak TLS (${String(code)}); check scheme and port in ${named}`;
        default:
            return undefined;
    }
}
function namesIn(error) {
    const { cert } = error;
    const names = typeof cert === 'object' && cert !== null && 'subjectaltname' in cert ? cert.subjectaltname : undefined;
    return typeof names === 'string' ? names.slice(0, 200) : 'it names none';
}
const UNREACHED = new Set([
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
]);
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
function reasonOf(error) {
    if (error instanceof AggregateError)
        return error.errors.map((each) => reasonOf(each)).join('; ');
    return error.message === '' ? error.name : error.message;
}


/***/ }),

/***/ 5962:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   tunnelAgent: () => (/* binding */ tunnelAgent)
/* harmony export */ });
/* harmony import */ var node_http__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7067);
/* harmony import */ var node_https__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4708);
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7030);
/* harmony import */ var _failure_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4816);




function tunnelAgent(options) {
    const isSecured = options.service.protocol === 'https:';
    const agent = isSecured ? new node_https__WEBPACK_IMPORTED_MODULE_1__.Agent({ keepAlive: true }) : new node_http__WEBPACK_IMPORTED_MODULE_0__.Agent({ keepAlive: true });
    const secure = agent.createConnection.bind(agent);
    const connect = async (place) => {
        const socket = await tunnel(options);
        if (!isSecured)
            return socket;
        try {
            return secure(Object.assign({}, place, { socket }));
        }
        catch (error) {
            socket.destroy();
            throw error;
        }
    };
    agent.createConnection = (place, callback) => {
        const done = callback;
        connect(place).then((stream) => done?.(null, stream), done);
        return undefined;
    };
    return agent;
}
function tunnel({ proxy, service, timeoutMs, trust }) {
    const at = new URL(proxy.address);
    const host = at.hostname.replace(/^\[|\]$/g, '');
    const target = `${service.hostname}:${service.port || (service.protocol === 'https:' ? 443 : 80)}`;
    const headers = {
        host: target,
        connection: 'keep-alive',
        ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    };
    const place = { method: 'CONNECT', host, port: at.port, path: target, headers, agent: false };
    return new Promise((resolve, reject) => {
        const call = at.protocol === 'https:'
            ?
                (0,node_https__WEBPACK_IMPORTED_MODULE_1__.request)({
                    ...place,
                    servername: (0,node_net__WEBPACK_IMPORTED_MODULE_2__.isIP)(host) === 0 ? host : '',
                    ...(trust && { secureContext: trust }),
                })
            : (0,node_http__WEBPACK_IMPORTED_MODULE_0__.request)(place);
        const timer = setTimeout(() => call.destroy(notInTime(timeoutMs)), timeoutMs);
        call.once('connect', ({ statusCode = 0 }, socket, head) => {
            clearTimeout(timer);
            if (statusCode >= 200 && statusCode < 300) {
                if (head.length > 0)
                    socket.unshift(head);
                resolve(socket);
                return;
            }
            socket.on('error', () => undefined).destroy();
            reject(new _failure_js__WEBPACK_IMPORTED_MODULE_3__/* .ConnectError */ .T$((0,_failure_js__WEBPACK_IMPORTED_MODULE_3__/* .refusedTunnel */ .$N)(String(statusCode), proxy, service)));
        });
        call.once('error', (error) => {
            clearTimeout(timer);
            reject(new _failure_js__WEBPACK_IMPORTED_MODULE_3__/* .ConnectError */ .T$((0,_failure_js__WEBPACK_IMPORTED_MODULE_3__/* .proxyFault */ .tE)(error, proxy) ?? `the proxy ${proxy.address} can't be used (${error.message})`, {
                cause: error,
            }));
        });
        call.end();
    });
}
function notInTime(ms) {
    return Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' });
}


/***/ })

};
