import pytest

from doorman import Request, Router


@pytest.fixture
def app():
    router = Router()

    @router.get("/", name="home")
    def home(request):
        return "home"

    @router.get("/notes/<int:number>", name="note")
    def note(request, number):
        return f"note {number!r}"

    @router.get("/notes/<title>", name="title")
    def title(request, title):
        return f"title {title}"

    @router.post("/notes/<slug>")
    def replace(request, slug):
        return f"replaced {slug}: {request.body}", 201

    @router.get("/notes/new")
    def new(request):
        return "new note"

    @router.get("/files/<path:place>", name="file")
    def file(request, place):
        return place

    @router.get("/export.csv", name="export")
    def export(request):
        return "a;b"

    return router


@pytest.fixture
def ask(app):
    def send(method, target, **more):
        return app.handle(Request(method, target, **more))

    return send
