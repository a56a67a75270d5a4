export const id = 556;
export const ids = [556];
export const modules = {

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


/***/ })

};
