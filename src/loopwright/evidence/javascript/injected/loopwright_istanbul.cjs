// One more kind of coverage report for Istanbul: its own data, as JSON, outside of the project.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

class Report {
  constructor(options) {
    this.folder = options.folder
  }

  execute(context) {
    const files = {}
    const onDetail = (node) => {
      const covered = node.getFileCoverage()
      files[covered.path] = covered.toJSON()
    }
    context.getTree('flat').visit({ onDetail }, context)
    fs.writeFileSync(path.join(this.folder, `${process.pid}.istanbul.json`), JSON.stringify(files))
  }
}

module.exports = Report
