"""The survey: what a project's files say by themselves, without running any of them."""

from loopwright.survey.project import ProjectSurveyor as ProjectSurveyor
