"""What is around the loops: the projects, the agents that can be named, and whether the server is there at all."""

from loopwright import __version__
from loopwright.domain.agents import known_agents
from loopwright.projects import Project
from loopwright.server import examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import ControlPlane, ProjectName
from loopwright.server.documenting import ANYWHERE, Done, answers
from loopwright.server.forms import AgentForm, HealthForm, ProjectForm
from loopwright.server.requests import Routes

router = Routes(prefix="/api", tags=["around"])


@router.get("/projects", summary="Projects", responses=answers(Done[list[ProjectForm]], examples.PROJECTS, ANYWHERE))
async def projects(control: ControlPlane) -> Answer:
    """In order; the first is the default."""
    known = control.projects.known.values()
    return done([{"name": project.name, "path": str(project.engine.project)} for project in known])


@router.get("/agents", summary="Agents", responses=answers(Done[list[AgentForm]], examples.AGENTS, (*ANYWHERE, 404)))
async def agents(control: ControlPlane, project: ProjectName = None) -> Answer:
    """Everybody that can be named in a project, and why one can not be used."""
    found = control.projects.named(project)
    return done(await control.beside(lambda: _agents(found)))


@router.get("/health", summary="Health", responses=answers(Done[HealthForm], examples.HEALTH, (403,)))
async def health() -> Answer:
    """Needs no token."""
    return done({"status": "ok", "version": __version__})


def _agents(project: Project) -> list[dict[str, object]]:
    agents = project.engine.agents
    names = (name for name in known_agents(agents.configured) if ":" not in name)
    return [
        {"name": name, "available": problem is None, "problem": problem}
        for name in names
        for problem in (agents.missing(name),)
    ]
