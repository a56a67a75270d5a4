export const id = 407;
export const ids = [407];
export const modules = {

/***/ 1398:
/***/ ((module) => {

// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};


/***/ }),

/***/ 2380:
/***/ ((module) => {

// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};


/***/ }),

/***/ 702:
/***/ ((module) => {

// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};


/***/ }),

/***/ 3266:
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
