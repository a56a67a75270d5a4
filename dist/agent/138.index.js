export const id = 138;
export const ids = [138,556];
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

/***/ 3556:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  fixedProxy: () => (/* binding */ fixedProxy),
  routeTo: () => (/* binding */ routeTo)
});

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: external "node:url"
var external_node_url_ = __webpack_require__(3136);
;// CONCATENATED MODULE: ./lib/network/no-proxy.js


const LOOPBACK = new external_node_net_.BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
const MAPPED = new external_node_net_.BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');
function isLoopback({ hostname }) {
    const host = bare(hostname);
    return (host === 'localhost' || host.endsWith('.localhost') || ((0,external_node_net_.isIP)(host) !== 0 && LOOPBACK.check(host, family(host))));
}
function isListed(noProxy, place) {
    const entries = noProxy.toLowerCase().split(/[\s,]+/);
    return entries.some((entry) => entry !== '' && (entry === '*' || matches(entry, place)));
}
function matches(entry, { hostname, port }) {
    const host = bare(hostname);
    const [, network, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    if (network !== undefined)
        return isInBlock(host, network, Number(bits));
    const named = split(entry);
    if (named === undefined || (named.port !== '' && named.port !== String(port)))
        return false;
    const { name } = named;
    if ((0,external_node_net_.isIP)(name) !== 0)
        return isInBlock(host, name, (0,external_node_net_.isIP)(name) === 4 ? 32 : 128);
    const domain = name.replace(/^\*\./, '.');
    if (domain.startsWith('.'))
        return host.endsWith(`.${ascii(domain.slice(1))}`);
    return domain !== '' && (host === ascii(domain) || host.endsWith(`.${ascii(domain)}`));
}
function split(entry) {
    if ((0,external_node_net_.isIP)(entry) !== 0)
        return { name: entry, port: '' };
    const [, inBrackets, plain, port = ''] = /^(?:\[(.*)\]|([^:]*))(?::([^:]*))?$/.exec(entry) ?? [];
    const name = inBrackets ?? plain;
    return name === undefined ? undefined : { name, port };
}
function isInBlock(host, network, bits) {
    if ((0,external_node_net_.isIP)(host) === 0 || (0,external_node_net_.isIP)(network) === 0 || bits > ((0,external_node_net_.isIP)(network) === 4 ? 32 : 128))
        return false;
    if (isIpv4(host) !== isIpv4(network))
        return false;
    const block = new external_node_net_.BlockList();
    block.addSubnet(network, bits, family(network));
    return block.check(host, family(host));
}
function isIpv4(address) {
    return (0,external_node_net_.isIP)(address) === 4 || MAPPED.check(address, 'ipv6');
}
function family(address) {
    return (0,external_node_net_.isIP)(address) === 4 ? 'ipv4' : 'ipv6';
}
function bare(hostname) {
    return hostname.replace(/^\[(.*)\]$/, '$1');
}
function ascii(name) {
    return (0,external_node_url_.domainToASCII)(name) || name;
}

// EXTERNAL MODULE: ./lib/network/proxy-variable.js
var proxy_variable = __webpack_require__(2263);
;// CONCATENATED MODULE: ./lib/network/proxy.js



function routeTo(url, environment) {
    const found = (0,proxy_variable/* proxyVariable */.r)(url, environment);
    const place = { hostname: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
    if (found === undefined || isLoopback(place))
        return {};
    const exempting = (0,proxy_variable/* firstSet */.v)(environment, 'NO_PROXY');
    if (exempting !== undefined && isListed(exempting.text, place))
        return { exempted: exempting.name };
    return { proxy: readProxy(found) };
}
function fixedProxy(name, text) {
    return { ...readProxy({ name, text }), isFixed: true };
}
function readProxy({ name, text }) {
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
        throw new outcome/* OutcomeError */.Rz('config-error', `Failed to read ${name} for the agent: it is not the address of an HTTP proxy. Write one such as http://proxy.example.com:3128, a user and a password before an @, their special characters as %XX.`);
    }
    const [user, password] = [decoded(url.username), decoded(url.password)];
    const address = `${url.protocol}//${url.host}`;
    if (user === '' && password === '')
        return { address, secrets: [], variable: name };
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    return {
        address,
        authorization: `Basic ${credentials}`,
        secrets: [credentials, url.password, password].filter((secret) => secret !== ''),
        variable: name,
    };
}
function decoded(text) {
    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}


/***/ }),

/***/ 4138:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  openWay: () => (/* binding */ openWay)
});

// EXTERNAL MODULE: ./node_modules/undici/lib/dispatcher/agent.js
var agent = __webpack_require__(7405);
// EXTERNAL MODULE: ./lib/network/failure.js
var failure = __webpack_require__(4816);
// EXTERNAL MODULE: ./node_modules/undici/lib/core/connect.js
var core_connect = __webpack_require__(9136);
;// CONCATENATED MODULE: ./lib/network/growing-trust.js


function growingTrust(timeoutMs, more) {
    const options = { timeout: timeoutMs, allowH2: false };
    const first = core_connect(options);
    let connect = first;
    let grown;
    const grow = async () => {
        connect = core_connect({ ...options, secureContext: await more() });
        return connect;
    };
    return (place, callback) => {
        const tried = connect;
        tried(place, (...[error, socket]) => {
            if (error === null)
                callback(null, socket);
            else if (tried !== first || !(0,failure/* isUntrusted */.fb)(error))
                callback(error, null);
            else {
                grown ??= grow();
                grown.then((again) => again(place, callback), (cause) => callback(cause instanceof Error ? cause : error, null));
            }
        });
    };
}

// EXTERNAL MODULE: ./lib/network/proxy.js + 1 modules
var network_proxy = __webpack_require__(3556);
;// CONCATENATED MODULE: ./lib/network/way.js




async function openWay(options) {
    const { environment, platform, caCertificate, connectTimeoutMs: timeout } = options;
    const url = new URL(options.serviceUrl);
    const { proxy, exempted } = (0,network_proxy.routeTo)(url, environment);
    const notices = [];
    if (proxy !== undefined)
        notices.push(`Pulumi Cloud is reached through the proxy ${proxy.address} (${proxy.variable}).`);
    if (exempted !== undefined)
        notices.push(`Pulumi Cloud is reached directly: ${exempted} lists ${url.host}.`);
    const secured = url.protocol === 'https:' || proxy?.address.startsWith('https:') === true;
    const trust = async () => {
        const { trusted, contextOf } = await __webpack_require__.e(/* import() */ 539).then(__webpack_require__.bind(__webpack_require__, 4539));
        const found = trusted({ environment, platform, ...(caCertificate === undefined ? {} : { caCertificate }) });
        return { ...found, context: () => contextOf(found.certificates) };
    };
    let certificates;
    let tls = { timeout, allowH2: false };
    if ((secured && proxy !== undefined) || mustTrustMore(options)) {
        const found = await trust();
        certificates = found.certificates;
        notices.push(...found.notices);
        if (secured)
            tls = { ...tls, secureContext: found.context() };
    }
    const grows = secured && certificates === undefined;
    const connections = proxy === undefined
        ? new agent({
            allowH2: false,
            connect: grows ? growingTrust(timeout, async () => (await trust()).context()) : tls,
        })
        : (await Promise.all(/* import() */[__webpack_require__.e(163), __webpack_require__.e(230)]).then(__webpack_require__.bind(__webpack_require__, 2230))).tunnel(proxy, tls);
    return {
        dispatcher: connections.compose((dispatch) => (request, handler) => dispatch(request, explaining(handler, (error) => (0,failure/* explained */.to)(error, { url, ...(proxy && { proxy }) })))),
        notices,
        secrets: proxy?.secrets ?? [],
        ...(certificates === undefined ? {} : { certificates }),
    };
}
function mustTrustMore({ caCertificate, wantsCertificates, environment }) {
    const named = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].some((name) => environment[name]);
    return named || caCertificate !== undefined || wantsCertificates;
}
function explaining(handler, explain) {
    return {
        onRequestStart: (...told) => handler.onRequestStart?.(...told),
        onRequestUpgrade: (...told) => handler.onRequestUpgrade?.(...told),
        onResponseStart: (...told) => handler.onResponseStart?.(...told),
        onResponseData: (...told) => handler.onResponseData?.(...told),
        onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
        onResponseError: (controller, error) => handler.onResponseError?.(controller, explain(error)),
    };
}


/***/ })

};
