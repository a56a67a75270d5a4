export const id = 770;
export const ids = [770];
export const modules = {

/***/ 9770:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   dataDirectory: () => (/* binding */ dataDirectory)
/* harmony export */ });
async function dataDirectory(engine, signal) {
    const { socketPath } = await engine.endpoint();
    if (socketPath === undefined)
        return undefined;
    const info = await engine.call((docker) => docker.info(), { signal });
    if (typeof info !== 'object' || info === null || !('DockerRootDir' in info))
        return undefined;
    const { DockerRootDir: directory } = info;
    return typeof directory === 'string' && directory.startsWith('/') ? directory : undefined;
}


/***/ })

};
