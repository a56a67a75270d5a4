// dockerode requires this for BuildKit image builds, which this project never does.
module.exports = {};
