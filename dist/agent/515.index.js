export const id = 515;
export const ids = [515];
export const modules = {

/***/ 3776:
/***/ ((module) => {

// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};


/***/ }),

/***/ 562:
/***/ ((module) => {

// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};


/***/ }),

/***/ 4212:
/***/ ((module) => {

// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};


/***/ }),

/***/ 5784:
/***/ ((module) => {

// docker-modem requires ssh2 for ssh:// hosts, which this project does not serve.
class Client {
  constructor() {
    throw new Error('ssh:// Docker hosts are not supported. Use a unix:// or tcp:// DOCKER_HOST.');
  }
}
module.exports = { Client };


/***/ })

};
