export const id = 136;
export const ids = [136];
export const modules = {

/***/ 55136:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  trustByDefault: () => (/* binding */ trustByDefault)
});

// EXTERNAL MODULE: external "node:tls"
var external_node_tls_ = __webpack_require__(41692);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(77598);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(73024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
;// CONCATENATED MODULE: ./lib/network/certificates.js




const BUNDLES = [
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/pki/tls/certs/ca-bundle.crt',
    '/etc/ssl/ca-bundle.pem',
    '/etc/pki/tls/cacert.pem',
    '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
    '/etc/ssl/cert.pem',
];
const FOLDERS = ['/etc/ssl/certs', '/etc/pki/tls/certs'];
function certificatesIn(pem) {
    const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g);
    return Array.from(blocks, ([, body = '']) => {
        const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
        return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n');
    });
}
function isReadable(certificate) {
    try {
        return new external_node_crypto_.X509Certificate(certificate).raw.length > 0;
    }
    catch {
        return false;
    }
}
function systemCertificates(platform) {
    if (platform === 'darwin' || platform === 'win32')
        return (0,external_node_tls_.getCACertificates)('system').flatMap(certificatesIn);
    const certificates = [];
    for (const bundle of BUNDLES) {
        const text = readable(() => (0,external_node_fs_.readFileSync)(bundle, 'utf8'));
        if (text === undefined)
            continue;
        certificates.push(...certificatesIn(text));
        break;
    }
    for (const folder of FOLDERS) {
        certificates.push(...(readable(() => certificatesInFolder(folder)) ?? []));
    }
    return certificates;
}
function certificatesInFolder(folder) {
    return (0,external_node_fs_.readdirSync)(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = (0,external_node_path_.join)(folder, entry.name);
        if (entry.isSymbolicLink() && readable(() => (0,external_node_fs_.readlinkSync)(path))?.includes('/') === false)
            return [];
        const text = readable(() => (0,external_node_fs_.readFileSync)(path, 'utf8'));
        return text === undefined ? [] : certificatesIn(text);
    });
}
function readable(read) {
    try {
        return read();
    }
    catch {
        return undefined;
    }
}

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(63259);
;// CONCATENATED MODULE: ./lib/network/trust.js




function trusted({ caCertificate, environment, platform }) {
    const notices = [];
    const named = (variable, read, separator) => {
        const text = environment[variable]?.trim() ?? '';
        const paths = separator === undefined ? [text] : text.split(separator);
        return paths.flatMap((path) => {
            if (path === '')
                return [];
            try {
                return read(path);
            }
            catch (error) {
                const reason = (0,outcome/* messageOf */.bD)(error);
                notices.push(`${variable} names what can't be read, so nothing of it is trusted: ${reason}.`);
                return [];
            }
        });
    };
    const certificates = new Set([
        ...(0,external_node_tls_.getCACertificates)('bundled').flatMap(certificatesIn),
        ...systemCertificates(platform),
        ...named('NODE_EXTRA_CA_CERTS', certificatesOf),
        ...named('SSL_CERT_FILE', certificatesOf),
        ...named('SSL_CERT_DIR', certificatesInFolder, ':'),
        ...(caCertificate === undefined ? [] : configuredCertificates(caCertificate)),
    ]);
    return { certificates: [...certificates], notices };
}
function configuredCertificates(caCertificate) {
    const isText = caCertificate.includes('-----BEGIN');
    const name = isText ? 'ca_certificate' : `ca_certificate ${caCertificate}`;
    const refused = (reason, cause) => new outcome/* OutcomeError */.Rz('config-error', `Failed to read ${name} for the agent: ${reason}. Give the certificate of the authority in PEM form, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, or the path of such a file.`, { cause });
    let certificates;
    try {
        certificates = isText ? certificatesIn(caCertificate) : certificatesOf(caCertificate);
    }
    catch (cause) {
        throw refused(cause instanceof Error ? cause.message : String(cause), cause);
    }
    if (certificates.length === 0)
        throw refused('there is no certificate in it');
    const bad = certificates.findIndex((certificate) => !isReadable(certificate));
    if (bad !== -1) {
        throw refused(`${certificates.length === 1 ? 'its certificate' : `certificate ${bad + 1} in it`} is damaged`);
    }
    return certificates;
}
function contextOf(certificates) {
    return createSecureContext({ ca: [...certificates], allowPartialTrustChain: true });
}
function certificatesOf(path) {
    return certificatesIn((0,external_node_fs_.readFileSync)(path, 'utf8'));
}

;// CONCATENATED MODULE: ./lib/network/default-trust.js



function trustByDefault(sources) {
    const { certificates } = trusted(sources);
    if (typeof external_node_tls_.setDefaultCACertificates !== 'function')
        return;
    try {
        external_node_tls_.setDefaultCACertificates(certificates);
    }
    catch {
        external_node_tls_.setDefaultCACertificates(certificates.filter(isReadable));
    }
}


/***/ })

};
